import BaizeHarness
import BaizeServer
import BaizeSync
import BaizeTransport
import BaizeWire
import Foundation
import TestSupport
import Testing

extension ServerTests {
  /// Output and exit codes of `baized`.
  @Suite struct Program {
    @Test func `the daemon prints its address, serves and ends on SIGTERM`() async throws {
      let program = try ChildProcess.listening(["--shards", "2"])
      let client = try BlockingClient(program.address)
      _ = try client.join(Hello(table: "list", tableType: "list?items=2"))
      program.send(SIGTERM)
      #expect(try client.goodbye()?.reason == .shutdown)
      client.close()
      program.expectCleanEnd()
    }

    /// Everything that a client received survives, and pending operations have their effect once (I3, I7).
    @Test func `after SIGKILL the daemon continues from its journal`() throws {
      let directory = try TemporaryFolder()
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
      let directory = try TemporaryFolder()
      let manager = try ServiceManager(directory.path("notify"))
      let program = try ChildProcess.listening(in: directory, notifying: directory.path("notify"))
      #expect(manager.next() == "READY=1\nSTATUS=Listening on \(program.address)")
      program.send(SIGTERM)
      #expect(manager.next() == "STOPPING=1\nSTATUS=Stopping")
      program.expectCleanEnd()
    }

    @Test func `the daemon serves even if the service manager cannot be notified`() throws {
      let program = try ChildProcess.listening(logLevel: "warning", notifying: "/does/not/exist")
      program.send(SIGTERM)
      let ended = program.end()
      #expect(ended.code == 0 && ended.errors.contains("cannot notify the service manager"), "\(ended.errors)")
    }

    @Test func `an unusable journal gives one line and exit code 2 and is not changed`() throws {
      let directory = try TemporaryFolder()
      let file = directory.url.appendingPathComponent("notes.txt")
      try "Not a journal.\n".write(to: file, atomically: true, encoding: .utf8)
      for arguments in [["--journal", "notes.txt"], ["--journal", "nowhere/baize.sqlite"], ["--journal", "."]] {
        let ended = try ChildProcess.baized(
          ["--listen", "127.0.0.1:0", "--log-level", "error"] + arguments, in: directory
        )
        .end()
        #expect(ended.code == 2 && ended.output.isEmpty && ended.errors.hasPrefix("baized: "))
        #expect(ended.errors.contains("'\(arguments[1])'") && ended.errors.count { $0 == "\n" } == 1, "\(ended.errors)")
      }
      #expect(try String(contentsOf: file, encoding: .utf8) == "Not a journal.\n")
    }

    @Test(arguments: [
      ["--durability", "memory"], ["--journal", ":memory:"], ["--durability", "memory", "--journal", "x"],
    ])
    func `without a journal file no file is created`(_ arguments: [String]) throws {
      let directory = try TemporaryFolder()
      let program = try ChildProcess.listening(arguments, in: directory)
      let client = try BlockingClient(program.address)
      _ = try client.join(Hello(table: "list", tableType: "list?items=2"))
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
      (["--durability", "lax"], "'--durability' cannot be 'lax'; expected one of strict, relaxed, memory"),
      (["--journal="], "'--journal' cannot be ''; expected a file name"),
      (["--keep", "all"], "'--keep' cannot be 'all'; expected a number of revisions from 0 to 1000000000000"),
      (["file"], "unexpected argument 'file'"),
      (["check"], "no file given"),
      (["check", "/does/not/exist.json"], "'/does/not/exist.json' does not exist"),
    ])
    func `an invalid command line gives one line and exit code 2`(_ arguments: [String], _ words: String) throws {
      let ended = try ChildProcess.baized(arguments).end()
      #expect(ended.code == 2 && ended.output.isEmpty)
      #expect(ended.errors.contains(words) && ended.errors.hasPrefix("baized"), "\(ended.errors)")
      #expect(ended.errors.count { $0 == "\n" } == 1, "\(ended.errors)")
    }

    @Test func `a port in use gives one line and exit code 2`() async throws {
      try await withServer { server in
        let ended = try ChildProcess.baized(["--listen", "\(server.address)", "--log-level", "error"]).end()
        #expect(ended.code == 2)
        #expect(ended.errors.hasPrefix("baized: cannot listen on \(server.address): bind: Address already in use"))
      }
    }

    @Test func `help and version override other flags`() throws {
      for arguments in [["--help"], ["check", "--help"], ["--listen", "x:1", "-h"]] {
        let ended = try ChildProcess.baized(arguments).end()
        #expect(ended.code == 0 && ended.errors.isEmpty && ended.output.contains("Usage: baized"))
        #expect(ended.output.split(separator: "\n").allSatisfy { $0.count <= 100 })
      }
      #expect(
        try ChildProcess.baized(["--version"]).end()
          == Ended(code: 0, output: "baized \(BaizeVersion.text)\n", errors: ""))
    }

    @Test func `check prints every mistake with its line and column, and types are read from a directory`() throws {
      let directory = try TemporaryFolder()
      let good = directory.url.appendingPathComponent("shelf.json")
      try #"{"baize": 1, "name": "shelf", "collections": [{"kind": "books"}]}"#.write(
        to: good, atomically: true, encoding: .utf8)
      #expect(
        try ChildProcess.baized(["check", good.path]).end() == Ended(code: 0, output: "\(good.path): ok\n", errors: ""))

      let program = try ChildProcess.listening(["--types", directory.url.path])
      let client = try BlockingClient(program.address)
      _ = try client.join(Hello(table: "books", tableType: "shelf"))
      client.close()
      #expect(program.stop() == 0)

      let bad = directory.url.appendingPathComponent("bad.json")
      try "{\n  \"baize\": 1, \"nome\": 2\n}".write(to: bad, atomically: true, encoding: .utf8)
      let checked = try ChildProcess.baized(["check", good.path, bad.path]).end()
      #expect(checked.code == 2)
      #expect(checked.output.contains("\(good.path): ok\n"))
      #expect(checked.output.contains("\(bad.path):2:15: nome: unknown key 'nome'"), "\(checked.output)")
      let refused = try ChildProcess.baized(["--listen", "127.0.0.1:0", "--types", directory.url.path]).end()
      #expect(refused.code == 2 && refused.errors.hasPrefix("baized: \(bad.path):1:1: "), "\(refused.errors)")
    }
  }
}

private struct Ended: Equatable {
  var code: Int32
  var output: String
  var errors: String
}

extension ChildProcess {
  /// A daemon, not yet listening.
  fileprivate static func baized(
    _ arguments: [String], in folder: TemporaryFolder? = nil, marker: String? = nil, notifying socketName: String? = nil
  ) throws -> ChildProcess {
    try ChildProcess("baized", arguments, marker: marker, in: folder, environment: ["NOTIFY_SOCKET": socketName])
  }

  /// A daemon that listens at a free port.
  fileprivate static func listening(
    _ arguments: [String] = [], in folder: TemporaryFolder? = nil, at address: String = "127.0.0.1:0",
    logLevel: String = "error", notifying socketName: String? = nil
  ) throws -> ChildProcess {
    try baized(
      ["--listen", address, "--log-level", logLevel] + arguments, in: folder, marker: daemonMarker,
      notifying: socketName)
  }

  /// Waits for its end.
  fileprivate func end() -> Ended { Ended(code: waitForExit(), output: output, errors: errors) }

  /// Waits for the end of a daemon that was stopped, and checks that it printed only its address.
  fileprivate func expectCleanEnd() {
    #expect(end() == Ended(code: 0, output: "\(Self.daemonMarker)\(address)\n", errors: ""))
  }
}
