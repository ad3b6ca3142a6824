import BaizeDriver
import BaizeLaboratory
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Foundation
import TestSupport
import Testing

extension DaemonProgramTests {
  /// Output and exit codes of `baized`.
  @Suite struct Program {
    private let directory: TemporaryFolder

    init() throws { directory = try TemporaryFolder() }

    @Test func `the daemon prints its address, serves and ends on SIGTERM`() async throws {
      let program = try ChildProcess.listening(["--shards", "2"])
      let (client, _) = try BlockingClient.joining(program.address, Hello(table: "list", tableType: "list?items=2"))
      program.send(SIGTERM)
      #expect(try client.goodbye()?.reason == .shutdown)
      client.close()
      program.expectCleanEnd()
    }

    /// Everything that a client received survives, and pending operations have their effect once (I3, I7).
    @Test func `after SIGKILL the daemon continues from its journal`() throws {
      var program = try ChildProcess.listening(in: directory)
      let player = try BlockingPlayer(program.address, table: "list", type: "list?items=3")
      let count = 100
      for round in 1...5 {
        for number in 1...count { player.insert("\(round).\(number)") }
        #expect(try player.run(until: { $0.answers.count > count * (round - 1) }))
        program.send(SIGKILL)
        #expect(program.waitForExit() == -SIGKILL)
        program = try .listening(in: directory, at: "\(program.address)")
        let isBack = try player.run(until: { player in
          player.machine.isLive && player.epoch == UInt64(round + 1) && player.answers.count == count * round
        })
        #expect(isBack, "round \(round)")
        #expect(player.items.count == 3 + count * round, "I3 in round \(round)")
        #expect(try player.isLevel(), "I1 in round \(round)")
      }
      program.send(SIGTERM)
      #expect(try player.run(until: { !$0.machine.isLive }))
      program.expectCleanEnd()
    }

    @Test func `the daemon notifies the service manager when it is ready and when it stops`() throws {
      let manager = try ServiceManager(directory.path("notify"))
      let program = try ChildProcess.listening(in: directory, environment: ["NOTIFY_SOCKET": directory.path("notify")])
      #expect(manager.next() == "READY=1\nSTATUS=Listening on \(program.address)")
      program.send(SIGTERM)
      #expect(manager.next() == "STOPPING=1\nSTATUS=Stopping")
      program.expectCleanEnd()
    }

    @Test func `the daemon serves even if the service manager cannot be notified`() throws {
      let program = try ChildProcess.listening(logLevel: "warning", environment: ["NOTIFY_SOCKET": "/does/not/exist"])
      program.send(SIGTERM)
      let ended = program.end()
      #expect(ended.code == 0 && ended.errors.contains("cannot notify the service manager"), "\(ended.errors)")
    }

    /// A file that is not the one that the daemon opened is noticed, whatever is done to it.
    @Test(arguments: ["deleted", "replaced", "truncated", "log deleted", "log truncated"])
    func `the daemon acknowledges nothing once its journal is gone, and says so`(_ event: String) throws {
      let program = try ChildProcess.listening(in: directory)
      let (client, joined) = try BlockingClient.joining(
        program.address, Hello(table: "list", tableType: "list?items=2"))
      client.send(joined.move(joined.items[0], number: 1))
      #expect(try client.diff() != nil)
      let file = directory.path("baize.sqlite") + (event.hasPrefix("log") ? "-wal" : "")
      switch event {
      case "deleted", "log deleted": try FileManager.default.removeItem(atPath: file)
      case "replaced":
        try Data(contentsOf: URL(fileURLWithPath: file)).write(to: URL(fileURLWithPath: file), options: .atomic)
      default: #expect(truncate(file, 0) == 0)
      }
      try program.waitForErrors(
        "no operation is judged any more, until the daemon is started again: the file '")
      client.send(joined.move(joined.items[1], number: 2))
      let outcome = try client.first(\.outcome)
      #expect(outcome?.verdict == .retry && outcome?.refusal.reason == .storage)
      client.close()
      program.send(SIGTERM)
      #expect(program.end().code == 1)
    }

    @Test func `a journal that others can write is refused, and one that they can read is warned of`() throws {
      let program = try ChildProcess.listening(in: directory, logLevel: "warning")
      #expect(program.stop() == 0 && program.errors.isEmpty)
      chmod(directory.path("baize.sqlite"), 0o640)
      let readable = try ChildProcess.listening(in: directory, logLevel: "warning")
      #expect(readable.stop() == 0)
      #expect(readable.errors.contains("other users can read the journal 'baize.sqlite'"), "\(readable.errors)")
      chmod(directory.path("baize.sqlite"), 0o620)
      let writable = try ChildProcess.run(["--listen", "127.0.0.1:0", "--log-level", "error"], in: directory)
      #expect(writable.code == 2)
      #expect(writable.errors.hasPrefix("baized: the journal 'baize.sqlite' can be written by other users"))
    }

    @Test func `no timeout counts the time for which the process was stopped`() async throws {
      try await withShortLimit { try stopAndContinue(heartbeat: $0) }
    }

    /// - Returns: Whether the clients were fast enough for the limit.
    private func stopAndContinue(heartbeat seconds: UInt64) throws -> Bool {
      let silence = 3 * seconds
      let program = try ChildProcess.listening([
        "--heartbeat", "\(seconds)", "--handshake", "\(silence)", "--shards", "1", "--durability", "memory",
      ])
      var watch = SilenceWatch()
      // More than one turn reads from, and more hellos than one turn receives.
      var members: [BlockingClient] = []
      func pingAll(_ nonce: UInt64) { for member in members { member.send(.ping(Ping(nonce: nonce))) } }
      for number in 0..<300 {
        let hello = Hello(table: "list\(number % 8)", tableType: "list?items=2")
        members.append(try BlockingClient.joining(program.address, hello).client)
        if number % 50 == 0 { pingAll(1) }
      }
      let strangers = try (0..<20).map { _ in try BlockingClient(program.address) }
      let isEveryoneThere = try members.allSatisfy { try $0.ping(2) != nil }
      program.send(SIGSTOP)
      // The first member may have been silent since it joined.
      guard watch.isWithin(seconds: silence) else { return false }
      #expect(isEveryoneThere)
      for stranger in strangers { stranger.send(.hello(Hello(table: "list0"))) }
      for _ in 0..<2 * silence + 4 {
        usleep(500_000)
        pingAll(1_000_000)
      }
      program.send(SIGCONT)
      for stranger in strangers { try stranger.joined() }
      for member in members {
        var isAnswered = false
        while !isAnswered, let message = try member.next() {
          if case .pong(let pong) = message, pong.nonce == 1_000_000 { isAnswered = true }
          if case .goodbye(let goodbye) = message { Issue.record("\(goodbye)") }
        }
        #expect(isAnswered)
      }
      #expect(program.stop() == 0)
      return true
    }

    @Test func `with --closed a table on loopback needs an invite, and without it the log says that it does not`()
      throws
    {
      let open = try ChildProcess.listening(logLevel: "info")
      #expect(open.errors.contains("every process of this machine can join every table without an invite"))
      #expect(open.errors.contains("everyone who can connect can create tables"))
      #expect(open.stop() == 0)
      let closed = try ChildProcess.listening(["--closed"], logLevel: "info")
      #expect(closed.errors.contains("joining a table requires an invite"))
      let (host, joined) = try BlockingClient.joining(closed.address, Hello(table: "t", tableType: "list?items=2"))
      #expect(try refusal(of: Hello(table: "t"), at: closed.address) == .inviteInvalid)
      let player = try BlockingClient(closed.address)
      #expect(try player.join(Hello(table: "t", invite: joined.welcome.invite)).welcome.seat.rawValue == 2)
      for client in [host, player] { client.close() }
      #expect(closed.stop() == 0)
    }

    @Test func `with --create token only holders of the token create tables`() throws {
      let program = try ChildProcess.listening(["--create", "token"], in: directory, logLevel: "info")
      #expect(program.errors.contains("creating a table requires the token of --create-token"))
      let file = directory.path("baize-create.token")
      let token = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .newlines)
      #expect(token.count == 32)
      #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
      #expect(try refusal(of: Hello(table: "t", tableType: "list"), at: program.address) == .createNotAllowed)
      let holder = try BlockingClient(program.address)
      try holder.join(Hello(table: "t", tableType: "list", invite: token))
      let guest = try BlockingClient(program.address)
      try guest.join(Hello(table: "t", tableType: "list"))
      for client in [holder, guest] { client.close() }
      #expect(program.stop() == 0)

      chmod(file, 0o644)
      let exposed = try ChildProcess.run(["--create", "token", "--listen", "127.0.0.1:0"], in: directory)
      #expect(exposed.code == 2 && exposed.errors.contains("other users can use the token"), "\(exposed.errors)")
      try "short\n".write(toFile: file, atomically: false, encoding: .utf8)
      chmod(file, 0o600)
      let short = try ChildProcess.run(["--create", "token", "--listen", "127.0.0.1:0"], in: directory)
      #expect(short.code == 2 && short.errors.contains("has no token"), "\(short.errors)")
    }

    @Test func `an address that creates tables in a hurry is slowed, and others are not`() throws {
      let program = try ChildProcess.listening([
        "--tables-burst-max", "20", "--tables-per-second-max", "1", "--shards", "1", "--durability", "memory",
      ])
      var reasons: [GoodbyeReason] = []
      var created = 0
      let start = MonotonicClock.now()
      while reasons.count <= 100 {
        let client = try BlockingClient(program.address, from: 2)
        client.send(.hello(Hello(table: "t\(created + reasons.count)", tableType: "list")))
        let reason = try client.first { message -> GoodbyeReason?? in
          switch message {
          case .welcome: .some(nil)
          case .goodbye(let goodbye): goodbye.reason
          default: nil
          }
        }
        if let reason = reason ?? nil { reasons.append(reason) } else { created += 1 }
        try #require(created <= 20 + Int((MonotonicClock.now() - start) / 1_000_000_000) + 1)
      }
      #expect(created >= 20 && Set(reasons) == [.tooManyTables])
      let other = try BlockingClient(program.address)
      try other.join(Hello(table: "other", tableType: "list"))
      other.close()
      #expect(program.stop() == 0)
    }

    /// Point by point what a stranger gets who writes all it can: its share of the disk, and others go on.
    @Test func `an address that fills the disk is stopped, and others go on at the same table`() throws {
      let program = try ChildProcess.listening(
        ["--journal-bytes-per-address-max", "\(4 << 20)", "--shards", "1", "--operations-per-second-max", "0"],
        in: directory)
      let table = Hello(table: "list", tableType: "list?items=3")
      let (honest, joined) = try BlockingClient.joining(program.address, table)
      let attacker = try BlockingClient(program.address, from: 2)
      let place = try attacker.join(table)
      var written = 0
      var outcome: Outcome?
      while outcome == nil, written < 1_000 {
        written += 1
        _ = try honest.available()
        let attributes = (0..<4).map { Attribute("a\($0)", String(repeating: "\(written % 10)", count: 16_000)) }
        attacker.send(
          place.operation(
            .update(joined.items[0], attributes: attributes, representations: []), number: UInt64(written)))
        outcome =
          try attacker.first { message -> Outcome?? in
            switch message {
            case .outcome(let outcome): outcome
            case .diff(let diff) where diff.author == place.welcome.session: .some(nil)
            default: nil
            }
          } ?? nil
      }
      #expect(outcome?.verdict == .retry && outcome?.refusal.reason == .storage)
      #expect((60...100).contains(written), "\(written)")
      honest.send(joined.move(joined.items[1], number: 1))
      #expect(
        try honest.first { if case .diff(let diff) = $0, diff.author == joined.welcome.session { diff } else { nil } }
          != nil)
      let bytes = try FileManager.default.attributesOfItem(atPath: directory.path("baize.sqlite"))[.size] as? Int ?? 0
      #expect(bytes < 24 << 20, "\(bytes)")
      for client in [honest, attacker] { client.close() }
      #expect(program.stop() == 0)
    }

    @Test func `a journal of the largest size refuses operations, and reads go on`() throws {
      let program = try ChildProcess.listening(["--journal-bytes-max", "\(2 << 20)", "--shards", "1"])
      let (client, joined) = try BlockingClient.joining(
        program.address, Hello(table: "list", tableType: "list?items=3"))
      let attributes = (0..<4).map { Attribute("a\($0)", String(repeating: "x", count: 16_000)) }
      let (reader, _) = try BlockingClient.joining(program.address, Hello(table: "other", tableType: "list?items=3"))
      var number: UInt64 = 0
      while number < 1_000, !program.errors.contains("--journal-bytes-max") {
        number += 1
        client.send(
          joined.operation(
            .update(joined.items[0], attributes: attributes + [Attribute("n", Int64(number))], representations: []),
            number: number))
        // Not faster than the daemon writes, which looks at the size of the file once a second. By K6 the operation, and a ping behind
        // it, get no other answer than a snapshot if the turn cannot be written.
        let isWritten = try client.first { message -> Bool? in
          switch message {
          case .diff(let diff): diff.author == joined.welcome.session && diff.sequence.rawValue == number ? true : nil
          case .snapshot: false
          case .welcome, .outcome, .drag, .pong, .seats, .presence, .chat, .countdown, .tokenTime, .watching, .goodbye,
            .unknown:
            nil
          }
        }
        let isAnswered = isWritten != nil
        #expect(isAnswered)
        if isWritten != true { break }
        usleep(5_000)
      }
      try program.waitForErrors("--journal-bytes-max")
      #expect((10...240).contains(number), "\(number)")
      #expect(try reader.ping(7) != nil)
      #expect(try refusal(of: Hello(table: "new", tableType: "list"), at: program.address) == .storage)
      for client in [client, reader] { client.close() }
      program.send(SIGTERM)
      #expect(program.end().code == 0)
    }

    @Test func `an unusable journal gives one line and exit code 2 and is not changed`() throws {
      let file = directory.url.appendingPathComponent("notes.txt")
      try "Not a journal.\n".write(to: file, atomically: true, encoding: .utf8)
      for arguments in [["--journal", "notes.txt"], ["--journal", "nowhere/baize.sqlite"], ["--journal", "."]] {
        let ended = try ChildProcess.run(
          ["--listen", "127.0.0.1:0", "--log-level", "error"] + arguments, in: directory)
        #expect(ended.code == 2 && ended.output.isEmpty && ended.errors.hasPrefix("baized: "))
        #expect(ended.errors.contains("'\(arguments[1])'") && ended.errors.count { $0 == "\n" } == 1, "\(ended.errors)")
      }
      #expect(try String(contentsOf: file, encoding: .utf8) == "Not a journal.\n")
    }

    @Test(arguments: [
      ["--durability", "memory"], ["--journal", ":memory:"], ["--durability", "memory", "--journal", "x"],
    ])
    func `without a journal file no file is created`(_ arguments: [String]) throws {
      let program = try ChildProcess.listening(arguments, in: directory)
      let (client, _) = try BlockingClient.joining(program.address, Hello(table: "list", tableType: "list?items=2"))
      #expect(try client.ping(1) != nil)
      client.close()
      #expect(program.stop() == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == [])
    }

    @Test func `the daemon ends on SIGINT`() throws {
      let program = try ChildProcess.listening()
      program.send(SIGINT)
      program.expectCleanEnd()
    }

    @Test(arguments: [
      (["--shard", "2"], "unknown flag '--shard'; did you mean '--shards'?"),
      (["--shards", "0"], "'--shards' cannot be '0'; expected a number from 1 to 256"),
      (["--listen", "nowhere"], "'nowhere' names no port"),
      (["--listen", "127.0.0.1:99999"], "'99999' is not a port"),
      (["--log-level", "loud"], "'--log-level' cannot be 'loud'; expected one of error, warning, info, debug"),
      (["--types", "/does/not/exist"], "the directory '/does/not/exist' cannot be read"),
      (["--create", "me"], "'--create' cannot be 'me'; expected one of anyone, token, nobody"),
      (["--create-token", "x"], "'--create-token' cannot be 'x'; expected '--create token' with it"),
      (["--open", "--closed"], "'--open' and '--closed' exclude each other"),
      (["--durability", "lax"], "'--durability' cannot be 'lax'; expected one of strict, relaxed, memory"),
      (["--journal="], "'--journal' cannot be ''; expected a file name"),
      (["--keep", "all"], "'--keep' cannot be 'all'; expected a number of revisions from 0 to 1000000000000"),
      (["file"], "unexpected argument 'file'"),
      (["check"], "no file given"),
      (["check", "/does/not/exist.json"], "'/does/not/exist.json' does not exist"),
    ])
    func `an invalid command line gives one line and exit code 2`(_ arguments: [String], _ words: String) throws {
      let ended = try ChildProcess.run(arguments)
      #expect(ended.code == 2 && ended.output.isEmpty)
      #expect(ended.errors.contains(words) && ended.errors.hasPrefix("baized"), "\(ended.errors)")
      #expect(ended.errors.count { $0 == "\n" } == 1, "\(ended.errors)")
    }

    @Test func `a port in use gives one line and exit code 2`() async throws {
      try await withServer { server in
        let ended = try ChildProcess.run(["--listen", "\(server.address)", "--log-level", "error"])
        #expect(ended.code == 2)
        #expect(ended.errors.hasPrefix("baized: cannot listen on \(server.address): bind: Address already in use"))
      }
    }

    @Test func `help and version override other flags`() throws {
      for arguments in [["--help"], ["check", "--help"], ["--listen", "x:1", "-h"]] {
        let ended = try ChildProcess.run(arguments)
        #expect(ended.code == 0 && ended.errors.isEmpty && ended.output.contains("Usage: baized"))
        #expect(ended.output.split(separator: "\n").allSatisfy { $0.count <= 100 })
      }
      #expect(
        try ChildProcess.run(["--version"])
          == Ended(code: 0, output: "baized \(BaizeVersion.text)\n", errors: ""))
    }

    @Test func `check prints every mistake with its line, column and kind, and types are read from a directory`() throws
    {
      let good = directory.url.appendingPathComponent("shelf.json")
      try #"{"baize": 1, "name": "shelf", "collections": [{"kind": "books"}]}"#.write(
        to: good, atomically: true, encoding: .utf8)
      #expect(
        try ChildProcess.run(["check", good.path]) == Ended(code: 0, output: "\(good.path): ok\n", errors: ""))

      let program = try ChildProcess.listening(["--types", directory.url.path])
      let (client, _) = try BlockingClient.joining(program.address, Hello(table: "books", tableType: "shelf"))
      client.close()
      #expect(program.stop() == 0)

      let bad = directory.url.appendingPathComponent("bad.json")
      try "{\n  \"baize\": 1, \"nome\": 2\n}".write(to: bad, atomically: true, encoding: .utf8)
      let checked = try ChildProcess.run(["check", good.path, bad.path])
      #expect(checked.code == 2)
      #expect(checked.output.contains("\(good.path): ok\n"))
      #expect(checked.output.contains("\(bad.path):2:15: form: nome: unknown key 'nome'"), "\(checked.output)")
      let refused = try ChildProcess.run(["--listen", "127.0.0.1:0", "--types", directory.url.path])
      #expect(refused.code == 2 && refused.errors.hasPrefix("baized: \(bad.path):1:1: "), "\(refused.errors)")
    }
  }
}
