import BaizeDriver
import BaizeLaboratory
import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport
import BaizeWire
import Foundation
import Testing

@testable import BaizeServer

extension ServerTests {
  /// Tables that move to other documents in a real daemon (I1, I3, I5, I7, M1–M7).
  @Suite struct Migrating {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A list with a bin behind it, or other collections.
    private static func library(
      title: String, kinds: [String] = ["items"], clock: String = ""
    ) throws -> TableTypeLibrary {
      let collections = kinds.map {
        #"{ "kind": "\#($0)", "accept": { "inserts": true }, "lift": { "offers": ["move", "delete"] } }"#
      }
      let text = """
        { "baize": 1, "name": "shelf", "title": "\(title)", "seats": { "max": 4 }, \(clock)
          "collections": [\(collections.joined(separator: ","))] }
        """
      return TableTypeLibrary().adding(try TableTypeDocument(parsing: text))
    }

    private static func migrate(_ server: Server, endsSessions: Bool = false) -> OperatorAnswer? {
      server.tableOperator.ask(.migrate(table: "t", endsSessions: endsSessions), ofTable: "t")
    }

    private static func collections(_ player: BlockingPlayer) -> [String]? {
      player.machine.replica?.state.type.collections.map(\.id)
    }

    @Test(arguments: [true, false])
    func `a table in memory moves, its clients come back to their sessions, and what was pending has its effect once`(
      hasJournal: Bool
    ) async throws {
      let one = try Self.library(title: "One")
      try await withServer({
        $0.tableTypes = one
        if hasJournal { $0.journal = .file(folder.path("journal")) }
      }) { server in
        let player = try BlockingPlayer(server.address, table: "t", type: "shelf")
        let other = try BlockingPlayer(server.address, table: "t", name: "other")
        for number in 1...5 { player.insert("\(number)") }
        #expect(try player.run(until: { $0.answers.count == 5 }))
        #expect(try other.run(until: { $0.items.count == 5 }))
        let session = player.machine.welcome?.session

        #expect(Self.migrate(server)?.isUnchanged == true, "it has this document")
        server.reload(limits: SyncLimits(), tableTypes: try Self.library(title: "Two", kinds: ["items", "bin"]))
        #expect(try server.summary(of: "t").hasOlderDocument)
        for number in 6...9 { player.insert("\(number)") }
        #expect(Self.migrate(server)?.isDone == true)
        #expect(try player.run(until: { $0.answers.count == 9 && $0.machine.isLive && $0.epoch == 2 }))
        #expect(try other.run(until: { $0.machine.isLive && $0.epoch == 2 && $0.items.count == 9 }), "I3")
        #expect(player.goodbyes.map(\.reason) == [.migrated] && other.goodbyes.map(\.reason) == [.migrated])
        #expect(player.machine.welcome?.session == session && player.items == other.items)
        #expect(Self.collections(player) == ["items", "bin"] && Self.collections(other) == ["items", "bin"])
        let bin = Destination.end(of: CollectionHandle(rawValue: 2))
        player.submit(.reorder(ReorderDifference(sources: [player.items[0]], destination: bin), suggested: []))
        #expect(try player.run(until: { $0.answers.count == 10 && $0.items.count == 8 }))
        #expect(try other.run(until: { $0.items.count == 8 }))
        #expect(try player.isLevel() && other.isLevel(), "I1")

        // Handles must stay while sessions are remembered, and all reasons are given.
        server.reload(limits: SyncLimits(), tableTypes: try Self.library(title: "Three", kinds: ["top", "items"]))
        let obstacles = try #require(Self.migrate(server)?.obstacles)
        #expect(obstacles.all.count == 3, "\(obstacles)")
        #expect(try player.isLevel() && player.goodbyes.count == 1, "nobody was disturbed")
        server.reload(
          limits: SyncLimits(), tableTypes: try Self.library(title: "Three", kinds: ["top", "items", "bin"]))
        #expect(Self.migrate(server, endsSessions: true)?.isDone == true)
        #expect(try player.run(until: { $0.machine.isLive && $0.machine.replica?.epoch.rawValue == 3 }))
        #expect(Self.collections(player) == ["top", "items", "bin"])
        #expect(player.machine.welcome?.session != session)
        #expect(try player.isLevel(), "I1")
      }
      guard hasJournal else { return }
      // I7: what was shown is in the journal, under the last document.
      try await withServer({
        $0.tableTypes = one
        $0.journal = .file(folder.path("journal"))
      }) { server in
        let player = try BlockingPlayer(server.address, table: "t")
        #expect(try player.run(until: \.machine.isLive))
        #expect(Self.collections(player) == ["top", "items", "bin"] && player.epoch == 4)
      }
    }

    @Test func `a table that moves to a document with a clock has its time, and to one without it none`() async throws {
      let kinds = ["items", "bin"]
      let clock = #""clock": { "table": { "seconds": 1, "try": [{ "move": { "from": "items", "to": "bin" } }] } },"#
      let plain = try Self.library(title: "One", kinds: kinds)
      try await withServer({ $0.tableTypes = plain }) { server in
        let player = try BlockingPlayer(server.address, table: "t", type: "shelf")
        for number in 1...2 { player.insert("\(number)") }
        #expect(try player.run(until: { $0.answers.count == 2 }) && player.machine.tableEnd == nil)
        server.reload(
          limits: SyncLimits(), tableTypes: try Self.library(title: "Two", kinds: kinds, clock: clock))
        #expect(Self.migrate(server)?.isDone == true)
        #expect(try player.run(until: { $0.epoch == 2 && $0.machine.isLive && $0.machine.tableEnd != nil }), "T6")
        #expect(try player.run(until: { $0.items.isEmpty }), "T1: each second one")
        #expect(try player.isLevel(), "I1")
        server.reload(
          limits: SyncLimits(), tableTypes: try Self.library(title: "Three", kinds: kinds))
        #expect(Self.migrate(server)?.isDone == true)
        #expect(try player.run(until: { $0.epoch == 3 && $0.machine.isLive }) && player.machine.tableEnd == nil)
      }
    }

    @Test func `with --migrate a table moves when it is loaded, and keeps its document if it does not fit`()
      async throws
    {
      func start(
        _ library: TableTypeLibrary, migrates: Bool = true, _ body: (Server, BlockingPlayer) async throws -> Void
      ) async throws {
        try await withServer({
          $0.tableTypes = library
          $0.migratesTables = migrates
          $0.journal = .file(folder.path("journal"))
          $0.log = Log(.error, to: { _ in })
        }) { server in
          let player = try BlockingPlayer(server.address, table: "t", type: "shelf")
          let holds1 = try player.run(until: \.machine.isLive)
          #expect(holds1)
          try await body(server, player)
        }
      }
      try await start(try Self.library(title: "One")) { _, player in
        player.insert("a")
        let holds2 = try player.run(until: { $0.answers.count == 1 })
        #expect(holds2)
      }
      try await start(try Self.library(title: "Two", kinds: ["items", "bin"]), migrates: false) { _, player in
        #expect(Self.collections(player) == ["items"] && player.epoch == 2)
      }
      try await start(try Self.library(title: "Two", kinds: ["items", "bin"])) { server, player in
        #expect(Self.collections(player) == ["items", "bin"] && player.epoch == 3 && player.items.count == 1)
        #expect(Self.migrate(server)?.isUnchanged == true, "it moved once")
        let holds3 = try player.isLevel()
        #expect(holds3, "I1")
      }
      // Its item has no place there.
      try await start(try Self.library(title: "Three", kinds: ["other"])) { _, player in
        #expect(Self.collections(player) == ["items", "bin"] && player.epoch == 4 && player.items.count == 1)
        player.insert("b")
        let holds4 = try player.run(until: { $0.answers.count == 1 && $0.items.count == 2 })
        #expect(holds4)
        let holds5 = try player.isLevel()
        #expect(holds5, "I1")
      }
    }

    /// Whatever keeps a stored table from being loaded, the operator learns it: no answer says to try again for ever.
    @Test func `a table that cannot be loaded to be moved is not busy for ever`() {
      var machine = ShardMachine(
        types: TableTypeCache(TableTypeLibrary()), random: RandomSource(seed: 1), durability: .strict)
      let now = Instant(nanoseconds: 1)
      func refusal(isStored: Bool = true) -> ShardMachine.OperatorRefusal? {
        do throws(ShardMachine.OperatorRefusal) {
          _ = try machine.migrate(table: "t", endsSessions: false, isStored: isStored, at: now)
          return nil
        } catch {
          return error
        }
      }
      #expect(refusal(isStored: false) == .notFound && machine.endTurn().loads.isEmpty)
      let failures: [(Result<RestoredTable?, JournalError>, ShardMachine.OperatorRefusal)] = [
        (.success(nil), .notFound), (.failure(JournalError(.tooLarge, "")), .noRoom),
        (.failure(JournalError(.corrupt, "")), .unreadable),
      ]
      for (result, expected) in failures {
        #expect(refusal() == .busy && machine.endTurn().loads == ["t"])
        #expect(refusal() == .busy && machine.endTurn().loads.isEmpty, "it is being loaded")
        machine.loaded("t", result, at: now)
        machine.admitWaiting(at: now)
        #expect(refusal() == expected && machine.endTurn().loads.isEmpty)
      }
    }

    /// What an operator asked for once and did not come back for says nothing of the table later.
    @Test func `why a table could not be loaded is forgotten after a while`() {
      var machine = ShardMachine(
        types: TableTypeCache(TableTypeLibrary()), random: RandomSource(seed: 1), durability: .strict)
      func refusal(atSeconds seconds: UInt64) -> ShardMachine.OperatorRefusal? {
        do throws(ShardMachine.OperatorRefusal) {
          _ = try machine.migrate(
            table: "t", endsSessions: false, at: Instant(nanoseconds: seconds * 1_000_000_000))
          return nil
        } catch {
          return error
        }
      }
      func fail(atSeconds seconds: UInt64) {
        let now = Instant(nanoseconds: seconds * 1_000_000_000)
        machine.loaded("t", .failure(JournalError(.tooLarge, "")), at: now)
        machine.admitWaiting(at: now)
      }
      #expect(refusal(atSeconds: 1) == .busy && machine.endTurn().loads == ["t"])
      fail(atSeconds: 2)
      #expect(refusal(atSeconds: 61) == .noRoom && machine.endTurn().loads.isEmpty)
      #expect(refusal(atSeconds: 62) == .busy && machine.endTurn().loads == ["t"])
      fail(atSeconds: 63)
      #expect(refusal(atSeconds: 123) == .busy && machine.endTurn().loads == ["t"], "it is loaded again")
    }

    /// I7: nobody receives anything of a move that is not durable (K6).
    @Test func `a move that cannot be written is not made, and can be made later`() async throws {
      let script = JournalScript()
      let (one, two) = (try Self.library(title: "One"), try Self.library(title: "Two", kinds: ["items", "bin"]))
      try await withServer({
        $0.tableTypes = one
        $0.openStore = { script.open() }
        $0.journalRetryNanoseconds = 20_000_000
        $0.limits.connections.returnMilliseconds = 10
        $0.log = Log(.error, to: { _ in })
      }) { server in
        let player = try BlockingPlayer(server.address, table: "t", type: "shelf")
        player.insert("a")
        let isAnswered = try player.run(until: { $0.answers.count == 1 })
        #expect(isAnswered)
        server.reload(limits: SyncLimits(), tableTypes: two)
        script.fail(JournalError(.storage, "the disk is full"))
        #expect(Self.migrate(server)?.isBusy == true)
        script.fail(nil)
        player.insert("b")
        let continues = try player.run(until: { $0.machine.isLive && $0.answers.count == 2 && $0.items.count == 2 })
        #expect(continues && Self.collections(player) == ["items"])
        #expect(try await eventually { Self.migrate(server)?.isDone == true })
        let hasMoved = try player.run(until: { $0.machine.isLive && Self.collections($0) == ["items", "bin"] })
        let isLevel = try player.isLevel()
        #expect(hasMoved && isLevel && player.items.count == 2, "I1, I3")
      }
    }

    /// The commands, on the journal of a stopped daemon and with a running one.
    @Test func `baized tables shows older documents, and baized migrate moves tables or says why not`() throws {
      try FileManager.default.createDirectory(atPath: folder.path("types"), withIntermediateDirectories: false)
      func write(_ library: TableTypeLibrary) throws {
        try #require(library["shelf"]).text.write(
          toFile: folder.path("types/shelf.json"), atomically: true, encoding: .utf8)
      }
      func run(_ arguments: String..., besides flags: [String] = []) throws -> Ended {
        try ChildProcess.run(arguments + flags, in: folder)
      }
      func start() throws -> ChildProcess {
        try .listening(
          [
            "--http", "off", "--admin", "127.0.0.1:0", "--admin-token-file", "token", "--journal", "journal",
            "--types", "types",
          ], in: folder, logLevel: "info")
      }
      try write(try Self.library(title: "One"))
      let first = try start()
      for table in ["one", "two"] {
        let (client, joined) = try BlockingClient.joining(
          first.address, Hello(table: table, tableType: "shelf", name: "Ada"))
        client.send(joined.operation(.insert([NewItem()], .end(of: CollectionHandle(rawValue: 1))), number: 1))
        #expect(try client.diff() != nil)
      }
      #expect(first.stop() == 0)
      #expect(try run("tables", "journal", "--types", "types").output.contains(" present"))
      #expect(try run("tables", "journal").output.contains(" gone"))

      try write(try Self.library(title: "Two", kinds: ["other"]))
      #expect(try run("tables", "journal", "--types", "types").output.contains(" older"))
      let unfit = try run("migrate", "journal", "one", "two", "--types", "types")
      #expect(unfit.code == 1 && unfit.output.isEmpty)
      #expect(unfit.errors.contains("one: the collection 'items' is gone and has 1 item\n"), "\(unfit.errors)")
      #expect(unfit.errors.contains("two: the handle 1 of 'items' would be that of 'other'"), "\(unfit.errors)")
      #expect(unfit.errors.hasSuffix("baized migrate: nothing is changed\n"))
      #expect(try run("migrate", "journal", "nowhere").code == 2)

      try write(try Self.library(title: "Two", kinds: ["items", "bin"]))
      let moved = try run("migrate", "journal", "one", "--types", "types")
      #expect(moved.code == 0 && moved.output.contains("one: moved, revision "), "\(moved)")
      #expect(try run("migrate", "journal", "one", "--types", "types").output == "one: has the present document\n")

      let second = try start()
      let (client, _) = try BlockingClient.joining(second.address, Hello(table: "one", tableType: "shelf", name: "Bo"))
      #expect(try run("migrate", "journal", "two", "--types", "types").code == 2, "the file is in use")
      let flags = try second.adminFlags()
      let live = try run("migrate", "one", "two", besides: flags)
      #expect(live.code == 0 && live.output == "one: has the present document\ntwo: moved\n", "\(live)")
      try write(try Self.library(title: "Three", kinds: ["other"]))
      second.send(SIGHUP)
      try second.waitForErrors("SIGHUP: the table type 'shelf' has changed")
      let refused = try run("migrate", "one", besides: flags)
      #expect(refused.code == 1 && refused.errors.split(separator: "\n").count == 2, "\(refused)")
      #expect(try client.ping(1) != nil, "nobody was disturbed")
      #expect(second.stop() == 0)
      let replay = try run("replay", "journal")
      #expect(replay.code == 0 && replay.output.hasSuffix("2 tables, 2 consistent\n"), "\(replay)")
    }

    @Test func `a table that is only in the journal is loaded, and moves`() async throws {
      let (one, two) = (try Self.library(title: "One"), try Self.library(title: "Two"))
      try await withServer({
        $0.tableTypes = one
        $0.journal = .file(folder.path("journal"))
      }) { server in
        let player = try BlockingPlayer(server.address, table: "t", type: "shelf")
        player.insert("a")
        #expect(try player.run(until: { $0.answers.count == 1 }))
      }
      try await withServer({
        $0.tableTypes = two
        $0.journal = .file(folder.path("journal"))
      }) { server in
        #expect(Self.migrate(server)?.isBusy == true, "it is not in memory")
        #expect(try await eventually { Self.migrate(server)?.isDone == true })
        let missing = server.tableOperator.ask(.migrate(table: "none", endsSessions: false), ofTable: "none")
        #expect(missing?.isBusy == true)
        let player = try BlockingPlayer(server.address, table: "t", type: "shelf")
        #expect(try player.run(until: { $0.machine.isLive && $0.items.count == 1 }))
      }
    }
  }
}
