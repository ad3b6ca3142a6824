import BaizeDriver
import BaizeLaboratory
import BaizeTable
import BaizeWire
import Foundation
import Testing

extension DaemonProgramTests {
  /// SIGHUP.
  @Suite struct Reloading {
    private let folder: TemporaryFolder
    private let program: ChildProcess

    init() throws {
      folder = try TemporaryFolder()
      try FileManager.default.createDirectory(atPath: folder.path("types"), withIntermediateDirectories: false)
      try Self.write(#"{"types": "types", "sessionsPerTableMax": 1, "keep": 5}"#, to: "baize.json", in: folder)
      program = try .listening(
        ["--config", "baize.json", "--durability", "memory", "--shards", "2"], in: folder, logLevel: "info")
    }

    private static func write(_ text: String, to name: String, in folder: TemporaryFolder) throws {
      try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
    }

    /// Sends SIGHUP and waits for the line of the log about it.
    private func reload(saying words: String) throws {
      program.send(SIGHUP)
      try program.waitForErrors("SIGHUP: \(words)")
    }

    private func reason(_ hello: Hello) throws -> GoodbyeReason? { try refusal(of: hello, at: program.address) }

    @Test func `limits and table types change at once, and the log says what`() throws {
      let (member, joined) = try BlockingClient.joining(program.address, Hello(table: "t", tableType: "list?items=2"))
      #expect(try reason(Hello(table: "t")) == .tableFull)
      #expect(try reason(Hello(table: "books", tableType: "shelf")) == .unknownType)

      try Self.write(
        #"{"types": "types", "sessionsPerTableMax": 9, "keep": 6, "pendingOperationsMax": 2}"#, to: "baize.json",
        in: folder)
      let shelf = #"{"baize": 1, "name": "shelf", "collections": [{"kind": "books"}]}"#
      try Self.write(shelf, to: "types/shelf.json", in: folder)
      try reload(
        saying: "--sessions-per-table-max 9 (was 1), the table type 'shelf' is new; these need a restart: "
          + "--keep, --pending-operations-max\n")
      let second = try BlockingClient(program.address)
      try second.join(Hello(table: "t"))
      let reader = try BlockingClient(program.address)
      try reader.join(Hello(table: "books", tableType: "shelf"))

      try Self.write(shelf.replacing("books", with: "shelves"), to: "types/shelf.json", in: folder)
      try reload(saying: "the table type 'shelf' has changed; these need a restart: --keep, --pending-operations-max\n")
      member.send(joined.move(joined.items[0], number: 1))
      #expect(try member.diff() != nil, "nobody was disturbed")
      for client in [member, second, reader] { client.close() }
      #expect(program.stop() == 0)
    }

    @Test(arguments: [
      (
        "baize.json", #"{"types": "types", "sessionsPerTableMax": 0}"#,
        "baize.json:1:43: sessionsPerTableMax: cannot be '0'"
      ),
      ("baize.json", #"{"types": "types", "sesions": 1}"#, "baize.json:1:20: sesions: unknown key 'sesions'"),
      ("types/bad.json", "{", "types/bad.json:1:2: "),
    ])
    func `a mistake in a file changes nothing, and the log names it`(
      _ name: String, _ text: String, _ words: String
    ) throws {
      let (member, _) = try BlockingClient.joining(program.address, Hello(table: "t", tableType: "list?items=2"))
      try Self.write(text, to: name, in: folder)
      try reload(saying: "nothing has changed: \(words)")
      #expect(try reason(Hello(table: "t")) == .tableFull)
      #expect(try member.ping(1) != nil)
      member.close()
      #expect(program.stop() == 0)
    }

    @Test func `SIGHUP without a change says so, as often as it comes`() throws {
      for _ in 0..<50 { program.send(SIGHUP) }
      try reload(saying: "nothing has changed\n")
      let (member, _) = try BlockingClient.joining(program.address, Hello(table: "t", tableType: "list?items=2"))
      #expect(try member.ping(1) != nil)
      member.close()
      #expect(program.stop() == 0)
    }
  }
}
