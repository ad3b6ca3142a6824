import BaizeDriver
import BaizeLaboratory
import Foundation
import TestSupport
import Testing

/// Output and exit codes of the programs.
@Suite(.serialized, .hangGuard) struct ProgramTests {
  /// Runs a test with a daemon on a free port.
  private func withDaemon(_ body: (_ address: String) async throws -> Void) async throws {
    let daemon = try ChildProcess(
      "baized",
      HangGuard.daemonFlags + [
        "--listen", "127.0.0.1:0", "--durability", "memory", "--allow-seeds", "--log-level", "warning",
      ], marker: ChildProcess.daemonMarker)
    try await body("\(daemon.address)")
    #expect(daemon.stop() == 0)
  }

  /// A deal that can be won, and one that cannot be won without hidden cards.
  @Test(arguments: [(1, 1, 0), (1, 3, 0), (3, 1, 3), (3, 2, 3)])
  func `bots exit with 0 when they win and with 3 when they are stuck`(
    deal: Int, bots: Int, code: Int
  ) async throws {
    try await withDaemon { address in
      let bot = try ChildProcess(
        "baize-bot",
        [
          "--connect", address, "--table", "t", "--type", "klondike", "--deal-seed", "\(deal)", "--seed", "5",
          "--count",
          "\(bots)", "--rate", "0", "--until-won", "--for", "\(HangGuard.seconds)",
        ])
      #expect(try await bot.exitCode() == Int32(code), "\(bot.output.suffix(2_000)) \(bot.errors)")
      let end = bot.output.split(separator: "\n").last ?? ""
      #expect(end.hasPrefix(code == 0 ? "won: \(bots) bot" : "stuck: \(bots) bot"))
      #expect(end.contains(code == 0 ? "52 of 52 cards on the foundations" : "of 52 cards on the foundations"))
      #expect(bot.output.contains("bot 1: draw: "))
    }
  }

  @Test func `bots that run out of time exit with 1 under --until-won and else with 0`() async throws {
    try await withDaemon { address in
      try await withTime { seconds in
        let usual = ["--connect", address, "--type", "klondike", "--rate", "1", "--for", seconds, "--quiet"]
        let hurried = try ChildProcess("baize-bot", usual + ["--table", "a\(seconds)", "--until-won"])
        let idle = try ChildProcess("baize-bot", usual + ["--table", "b\(seconds)"])
        let codes = (try await hurried.exitCode(), try await idle.exitCode())
        // Both have joined in that time.
        guard !(hurried.errors + idle.errors).contains("does not answer") else { return false }
        #expect(codes == (1, 0), "\(hurried.errors) \(idle.errors)")
        return true
      }
    }
  }

  @Test(arguments: ["baized", "baize-bot", "baize-load", "baize-lab", "baize-sim"])
  func `every program says its version`(_ program: String) throws {
    let child = try ChildProcess(program, ["--version"])
    #expect(child.waitForExit() == 0)
    #expect(child.output.hasPrefix("\(program) ") && child.output.count { $0 == "." } == 2, "\(child.output)")
  }

  @Test func `bots leave on SIGTERM`() async throws {
    try await withDaemon { address in
      let bot = try ChildProcess("baize-bot", ["--connect", address, "--table", "t", "--type", "list?items=9"])
      #expect(try await eventually { bot.rest(ofLine: "bot 1: joined table t (list)") != nil })
      bot.send(SIGTERM)
      #expect(try await bot.exitCode() == 0)
    }
  }

  @Test func `a refused bot prints one line and exits with 1`() async throws {
    try await withDaemon { address in
      let bot = try ChildProcess("baize-bot", ["--connect", address, "--table", "nowhere"])
      #expect(try await bot.exitCode() == 1)
      #expect(bot.errors.hasPrefix("baize-bot: bot 1: UNKNOWN_TABLE") && bot.errors.split(separator: "\n").count == 1)
    }
  }

  /// I1: the demo itself compares.
  @Test func `the demo ends by itself, and every copy equals the daemon's`() async throws {
    try await withTime { seconds in
      let demo = try ChildProcess(
        "baized", ["demo", "--type", "klondike", "--for", seconds, "--seed", "2", "--rate", "20"])
      #expect(try await demo.exitCode() == 0, "\(demo.errors)")
      guard demo.output.contains("draw: ") else { return false }
      expectCompared(demo)
      return true
    }
  }

  private func expectCompared(_ demo: ChildProcess) {
    let lines = demo.output.split(separator: "\n")
    #expect(lines.last == "every copy equals the daemon's")
    #expect(lines.contains { $0.hasPrefix("table demo: 3 of 3 copies equal the daemon's view for them ") })
    #expect(demo.output.contains("▒▒"))
    #expect(demo.output.hasPrefix("Baize: one table, alike on all screens"))
    #expect(demo.output.contains("join in: swift run baize-bot --connect 127.0.0.1:"))
    #expect(!demo.output.contains("\u{1B}"), "a pipe is no terminal")
  }

  /// I1, I6: each copy is compared with what its seat may see, which differs where there are private hands.
  @Test(arguments: ["hand", "hearts", "speed", "tasks"])
  func `the demo compares what each seat may see`(type: String) async throws {
    let demo = try ChildProcess("baized", ["demo", "--type", type, "--for", "1", "--seed", "2", "--rate", "20"])
    #expect(try await demo.exitCode() == 0, "\(demo.errors)")
    #expect(demo.output.contains("3 of 3 copies equal the daemon's view for them "))
  }

  @Test(arguments: [
    ("baize-bot", ["--bogus"]), ("baize-bot", ["--count", "many"]), ("baize-bot", ["--connect", "nowhere"]),
    ("baized", ["demo", "--bogus"]), ("baized", ["demo", "--bots", "9"]), ("baized", ["demo", "--type", "chess"]),
    ("baize-load", []), ("baize-load", ["--connect", "127.0.0.1:1"]), ("baize-load", ["run", "--rate", "0"]),
    ("baize-load", ["run", "--rate", "5", "--operations", "5"]), ("baize-load", ["reconnect", "--spectators", "1"]),
    ("baize-lab", ["startup", "--samples", "0"]), ("baize-lab", ["resume", "--connect", "127.0.0.1:1"]),
    ("baize-lab", ["durability", "--seconds", "soon"]),
  ])
  func `an invalid command line gives one line and exit code 2`(name: String, arguments: [String]) async throws {
    let program = try ChildProcess(name, arguments)
    #expect(try await program.exitCode() == 2)
    #expect(program.errors.split(separator: "\n").count == 1 && program.output.isEmpty)
  }
}

/// Runs a test of what a program does within some seconds: for a longer time where this machine was too slow for that.
///
/// - Parameter body: The test with a number of seconds. Returns `false`, and has checked nothing, if the time was too short.
func withTime(_ body: (_ seconds: String) async throws -> Bool) async throws {
  var seconds = 1
  while try await !body("\(seconds)") {
    seconds *= 2
    try #require(seconds < HangGuard.seconds, "the machine is too slow for any time")
  }
}

/// Polls until a condition holds, without blocking a thread.
private func eventually(_ condition: () -> Bool) async throws -> Bool {
  let end = Date.now.addingTimeInterval(Double(HangGuard.seconds))
  while !condition() {
    guard Date.now < end else { return false }
    try await Task.sleep(for: .milliseconds(20))
  }
  return true
}

extension ChildProcess {
  /// Waits for its end and returns the exit code; `nil` if it has none.
  fileprivate func exitCode() async throws -> Int32? {
    try await eventually { !isRunning } ? waitForExit() : nil
  }
}
