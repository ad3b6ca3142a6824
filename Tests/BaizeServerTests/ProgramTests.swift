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
    @Test func `it prints its address, serves, and ends on SIGTERM`() async throws {
      let program = try RunningProgram(["--listen", "127.0.0.1:0", "--shards", "2", "--log-level", "error"])
      let line = try #require(program.firstLine())
      let prefix = "baized listening on "
      #expect(line.hasPrefix(prefix))
      let address = try SocketAddress(parsing: String(line.dropFirst(prefix.count)))
      let client = try TestClient(address)
      _ = try client.join(Hello(table: "list", tableType: "list?items=2"))
      program.process.terminate()
      #expect(try client.goodbye()?.reason == .shutdown)
      client.close()
      #expect(program.end() == Ended(code: 0, output: "", errors: ""))
    }

    /// What any client has received survives, and pending operations take effect once (I3, I7).
    @Test func `after SIGKILL it continues from its journal`() throws {
      let directory = try TemporaryDirectory()
      var arguments = ["--listen", "127.0.0.1:0", "--log-level", "error"]
      var program = try RunningProgram(arguments, in: directory)
      arguments[1] = "\(try program.address())"
      let player = try ReturningPlayer(SocketAddress(parsing: arguments[1]), table: "list", type: "list?items=3")
      let count = 100
      for round in 1...5 {
        for number in 1...count { player.insert("\(round).\(number)") }
        #expect(try player.live(until: { $0.answers.count > count * (round - 1) }))
        program.kill()
        program = try RunningProgram(arguments, in: directory)
        _ = try program.address()
        let isBack = try player.live(until: { player in
          player.machine.isLive && player.epoch == UInt64(round + 1) && player.answers.count == count * round
        })
        #expect(isBack, "round \(round)")
        #expect(try player.items().count == 3 + count * round, "I3 in round \(round)")
        #expect(try player.isLevel(), "I1 in round \(round)")
      }
      program.process.terminate()
      #expect(try player.live(until: { !$0.machine.isLive }))
      #expect(program.end() == Ended(code: 0, output: "", errors: ""))
    }

    @Test func `it notifies the service manager of start and stop`() throws {
      let directory = try TemporaryDirectory()
      let manager = try ServiceManager(directory.path("notify"))
      let program = try RunningProgram(
        ["--listen", "127.0.0.1:0", "--log-level", "error"], in: directory, notifying: directory.path("notify"))
      let address = try program.address()
      #expect(manager.next() == "READY=1\nSTATUS=Listening on \(address)")
      program.process.terminate()
      #expect(manager.next() == "STOPPING=1\nSTATUS=Stopping")
      #expect(program.end() == Ended(code: 0, output: "", errors: ""))
    }

    @Test func `an unreachable service manager does not stop the daemon`() throws {
      let program = try RunningProgram(
        ["--listen", "127.0.0.1:0", "--log-level", "warning"], notifying: "/does/not/exist")
      _ = try program.address()
      program.process.terminate()
      let ended = program.end()
      #expect(ended.code == 0 && ended.errors.contains("cannot notify the service manager"), "\(ended.errors)")
    }

    @Test func `an unusable journal gives one line and exit code 2 and is unchanged`() throws {
      let directory = try TemporaryDirectory()
      let file = directory.url.appendingPathComponent("notes.txt")
      try "Not a journal.\n".write(to: file, atomically: true, encoding: .utf8)
      for arguments in [["--journal", "notes.txt"], ["--journal", "nowhere/baize.sqlite"], ["--journal", "."]] {
        let ended = try RunningProgram(["--listen", "127.0.0.1:0", "--log-level", "error"] + arguments, in: directory)
          .end()
        #expect(ended.code == 2 && ended.output.isEmpty && ended.errors.hasPrefix("baized: "))
        #expect(ended.errors.contains("'\(arguments[1])'") && ended.errors.count { $0 == "\n" } == 1, "\(ended.errors)")
      }
      #expect(try String(contentsOf: file, encoding: .utf8) == "Not a journal.\n")
    }

    @Test(arguments: [
      ["--durability", "memory"], ["--journal", ":memory:"], ["--durability", "memory", "--journal", "x"],
    ])
    func `no file is used without a journal`(_ arguments: [String]) throws {
      let directory = try TemporaryDirectory()
      let program = try RunningProgram(["--listen", "127.0.0.1:0", "--log-level", "error"] + arguments, in: directory)
      let client = try TestClient(program.address())
      _ = try client.join(Hello(table: "list", tableType: "list?items=2"))
      #expect(try client.ping(1) != nil)
      client.close()
      program.process.terminate()
      #expect(program.end().code == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == [])
    }

    @Test func `it ends on SIGINT too`() throws {
      let program = try RunningProgram(["--listen", "127.0.0.1:0", "--log-level", "error"])
      #expect(program.firstLine() != nil)
      program.process.interrupt()
      #expect(program.end().code == 0)
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
    func `a mistake gives one line and exit code 2`(_ arguments: [String], _ words: String) throws {
      let ended = try RunningProgram(arguments).end()
      #expect(ended.code == 2 && ended.output.isEmpty)
      #expect(ended.errors.contains(words) && ended.errors.hasPrefix("baized"), "\(ended.errors)")
      #expect(ended.errors.count { $0 == "\n" } == 1, "\(ended.errors)")
    }

    @Test func `a port in use gives one line and exit code 2`() async throws {
      try await withServer { server in
        let ended = try RunningProgram(["--listen", "\(server.address)", "--log-level", "error"]).end()
        #expect(ended.code == 2)
        #expect(ended.errors.hasPrefix("baized: cannot listen on \(server.address): bind: Address already in use"))
      }
    }

    @Test func `help and version override other flags`() throws {
      for arguments in [["--help"], ["check", "--help"], ["--listen", "x:1", "-h"]] {
        let ended = try RunningProgram(arguments).end()
        #expect(ended.code == 0 && ended.errors.isEmpty && ended.output.contains("Usage: baized"))
        #expect(ended.output.split(separator: "\n").allSatisfy { $0.count <= 100 })
      }
      #expect(
        try RunningProgram(["--version"]).end() == Ended(code: 0, output: "baized \(BaizeVersion.text)\n", errors: ""))
    }

    @Test func `check prints mistakes with positions, and types are loaded from a directory`() throws {
      let directory = FileManager.default.temporaryDirectory.appendingPathComponent("baized-\(UUID())")
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: directory) }
      let good = directory.appendingPathComponent("shelf.json")
      try #"{"baize": 1, "name": "shelf", "collections": [{"kind": "books"}]}"#.write(
        to: good, atomically: true, encoding: .utf8)
      #expect(
        try RunningProgram(["check", good.path]).end() == Ended(code: 0, output: "\(good.path): ok\n", errors: ""))

      let program = try RunningProgram(["--listen", "127.0.0.1:0", "--types", directory.path, "--log-level", "error"])
      let line = try #require(program.firstLine())
      let address = try SocketAddress(parsing: String(line.dropFirst("baized listening on ".count)))
      let client = try TestClient(address)
      _ = try client.join(Hello(table: "books", tableType: "shelf"))
      client.close()
      program.process.terminate()
      #expect(program.end().code == 0)

      let bad = directory.appendingPathComponent("bad.json")
      try "{\n  \"baize\": 1, \"nome\": 2\n}".write(to: bad, atomically: true, encoding: .utf8)
      let checked = try RunningProgram(["check", good.path, bad.path]).end()
      #expect(checked.code == 2)
      #expect(checked.output.contains("\(good.path): ok\n"))
      #expect(checked.output.contains("\(bad.path):2:15: nome: unknown key 'nome'"), "\(checked.output)")
      let refused = try RunningProgram(["--listen", "127.0.0.1:0", "--types", directory.path]).end()
      #expect(refused.code == 2 && refused.errors.hasPrefix("baized: \(bad.path):1:1: "), "\(refused.errors)")
    }
  }
}

private struct Ended: Equatable {
  var code: Int32
  var output: String
  var errors: String
}

/// A running `baized` from the directory of the test bundle.
///
/// Its working directory, with its journal, is deleted with this object.
private final class RunningProgram {
  let process = Process()
  private let output = Pipe()
  private let errors = Pipe()
  private let directory: TemporaryDirectory

  init(_ arguments: [String], in directory: TemporaryDirectory? = nil, notifying socketName: String? = nil) throws {
    self.directory = try directory ?? TemporaryDirectory()
    process.currentDirectoryURL = self.directory.url
    var environment = ProcessInfo.processInfo.environment
    environment["NOTIFY_SOCKET"] = socketName
    process.environment = environment
    let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    process.executableURL = tests.deletingLastPathComponent().appendingPathComponent("baized")
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = errors
    try process.run()
  }

  deinit { if process.isRunning { process.terminate() } }

  /// Returns its first line of output.
  func firstLine() -> String? {
    var line: [UInt8] = []
    while let byte = output.fileHandleForReading.readData(ofLength: 1).first {
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    return nil
  }

  /// Returns its address once it listens.
  func address() throws -> SocketAddress {
    try SocketAddress(parsing: String(try #require(firstLine()).dropFirst("baized listening on ".count)))
  }

  /// Kills it, like a power failure.
  func kill() {
    _ = Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  func end() -> Ended {
    let output = output.fileHandleForReading.readDataToEndOfFile()
    let errors = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Ended(
      code: process.terminationStatus, output: String(decoding: output, as: UTF8.self),
      errors: String(decoding: errors, as: UTF8.self))
  }
}
