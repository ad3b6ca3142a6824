import BaizeClient
import BaizeDriver
import BaizeLaboratory
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Foundation
import Testing

@testable import BaizeServer

extension ServerTests {
  /// What an operator sees and does, over a real daemon.
  @Suite struct Operators {
    private static func hello(_ table: String) -> Hello { Hello(table: table, tableType: "list?items=3", name: "Ada") }

    @Test func `every table in memory is listed`() async throws {
      try await withServer { server in
        let clients = try (0..<4).map { try BlockingClient.joining(server.address, Self.hello("t\($0)")).0 }
        let tables = try #require(server.tableOperator.tables())
        #expect(Set(tables.map(\.name)) == Set((0..<4).map { "t\($0)" }) && tables.count == clients.count)
        #expect(tables.allSatisfy { $0.members == 1 && $0.items == 3 && $0.bytes > 0 && $0.seats.isEmpty })
      }
    }

    @Test func `a kicked session gets a goodbye, and its seat is free`() async throws {
      try await withServer { server in
        let (one, _) = try BlockingClient.joining(server.address, Self.hello("t"))
        let (other, _) = try BlockingClient.joining(server.address, Self.hello("t"))
        let kick = OperatorRequest.Action.kick(SeatNumber(rawValue: 1), table: "t")
        #expect(server.tableOperator.ask(kick, ofTable: "t")?.isDone == true)
        #expect(try one.goodbye()?.reason == .kicked)
        let table = try server.summary(of: "t")
        #expect(table.seats.map(\.number.rawValue) == [2] && table.members == 1)
        #expect(try other.ping(1) != nil)
        guard case .refused(.freeSeat)? = server.tableOperator.ask(kick, ofTable: "t") else {
          Issue.record("a free seat was kicked")
          return
        }
      }
    }

    /// I7: a response to the operator is sent after the commit.
    @Test func `a deleted table is gone from memory and from the journal`() async throws {
      let folder = try TemporaryFolder()
      try await withServer({ $0.journal = .file(folder.path("journal")) }) { server in
        let (client, before) = try BlockingClient.joining(server.address, Self.hello("t"))
        for isStored in [false, true] {
          #expect(server.tableOperator.ask(.delete(table: "t", isStored: isStored), ofTable: "t")?.isDone == true)
        }
        #expect(try client.goodbye()?.reason == .kicked)
        #expect(try refusal(of: Hello(table: "t", name: "Bo"), at: server.address) == .unknownTable)
        let (_, after) = try BlockingClient.joining(server.address, Self.hello("t"))
        #expect(after.welcome.session == before.welcome.session, "the table begins anew")
      }
    }

    @Test func `a closed table stays, without its sessions`() async throws {
      try await withServer { server in
        let clients = try (0..<5).map { _ in try BlockingClient.joining(server.address, Self.hello("t")).0 }
        #expect(server.tableOperator.ask(.close(table: "t"), ofTable: "t")?.isDone == true)
        for client in clients { #expect(try client.goodbye()?.reason == .kicked) }
        let table = try server.summary(of: "t")
        #expect(table.members == 0 && table.sessions == 0 && table.seats.isEmpty)
        _ = try BlockingClient.joining(server.address, Self.hello("t"))
      }
    }

    @Test func `an export has every face, and a seat's has what it may see`() async throws {
      try await withServer { server in
        _ = try BlockingClient.joining(server.address, Hello(table: "k", tableType: "klondike", name: "\"<b>"))
        guard case .state(let table, let state)? = server.tableOperator.ask(.state(table: "k"), ofTable: "k") else {
          Issue.record("there is no state")
          return
        }
        func export(_ view: TableExport.View) throws -> [String: Any] {
          let bytes = try TableExport(state, name: "k", typeText: table.typeText, epoch: table.epoch, view: view).bytes
          return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        }
        func faces(_ export: [String: Any]) -> Int {
          let collections = export["collections"] as? [[String: Any]] ?? []
          return collections.flatMap { $0["items"] as? [[String: Any]] ?? [] }.count { $0["attributes"] != nil }
        }
        #expect(try faces(export(.all)) == 52 && faces(export(.seat(.spectator))) == 7)
        #expect((try export(.all)["seats"] as? [[String: Any]])?.first?["name"] as? String == "\"<b>")
      }
    }

    @Test func `JSON is well formed whatever a text contains`() throws {
      let text = String(String.UnicodeScalarView((0..<0x300).compactMap(Unicode.Scalar.init))) + "\u{2028}🂡"
      var writer = JSONWriter()
      writer.object { json in
        json.field(text, text)
        json.field("list") { json in
          json.array { json in
            json.number(-1)
            json.array { _ in }
            json.number(0.5)
            json.null()
          }
        }
      }
      let object = try #require(try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: Any])
      #expect(object[text] as? String == text && (object["list"] as? [Any])?.count == 4)
      #expect(!writer.text.contains("<"))
    }
  }
}

extension OperatorAnswer {
  var isDone: Bool { if case .done = self { true } else { false } }
  var isUnchanged: Bool { if case .unchanged = self { true } else { false } }
  var isBusy: Bool { if case .refused(.busy) = self { true } else { false } }
  var obstacles: MigrationObstacles? { if case .refused(.obstacles(let obstacles)) = self { obstacles } else { nil } }
}

extension Server {
  func summary(of table: String) throws -> LiveTable {
    guard case .tables(let tables)? = tableOperator.ask(.summary(table: table), ofTable: table) else {
      throw RunFailure("there is no table '\(table)'")
    }
    return tables[0]
  }
}
