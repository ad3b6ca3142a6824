import BaizeDriver
import BaizeLaboratory
import Foundation
import TestSupport
import Testing

/// A stop that comes while a program starts is a clean stop, and a reload is a reload.
@Suite(.hangGuard) struct EarlySignalTests {
  /// The daemon reads its configuration from a pipe: it has begun, and has done nothing else, when it opens the pipe.
  private struct StartingDaemon {
    let process: ChildProcess
    private let folder: TemporaryFolder

    init() throws {
      folder = try TemporaryFolder()
      try #require(mkfifo(folder.path("config"), 0o600) == 0)
      process = try ChildProcess(
        "baized", ["--config", "config", "--listen", "127.0.0.1:0", "--http", "off", "--durability", "memory"],
        in: folder)
    }

    /// Waits until the daemon's log has a text.
    func wait(for words: String) throws {
      try waitUntil(for: "'\(words)' in the log", step: { usleep(1_000) }) {
        process.errors.contains(words) || !process.isRunning
      }
      try #require(process.errors.contains(words), "the daemon has ended: \(process.errors)")
    }

    /// Waits until the daemon reads the configuration, runs `body`, and writes it.
    func configure(_ text: String, after body: () -> Void = {}) throws {
      var pipe: Int32 = -1
      try waitUntil(for: "the daemon to read its configuration", step: { usleep(200) }) {
        // Without a reader there is no writer.
        pipe = open(folder.path("config"), O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        return pipe >= 0 || !process.isRunning
      }
      try #require(pipe >= 0, "the daemon has ended: \(process.errors)")
      defer { close(pipe) }
      body()
      try #require(write(pipe, text, text.utf8.count) == text.utf8.count)
    }
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `a daemon that is stopped while it reads its configuration ends cleanly`(signal: Int32) throws {
    let daemon = try StartingDaemon()
    try daemon.configure("{}") { daemon.process.send(signal) }
    #expect(daemon.process.waitForExit() == 0, "\(daemon.process.errors)")
  }

  @Test func `a daemon that is to read its configuration again while it starts does so once it runs`() throws {
    let daemon = try StartingDaemon()
    try daemon.configure(#"{"sessionsPerTableMax": 1}"#) { daemon.process.send(SIGHUP) }
    // The first reading is over, and the daemon has started.
    try daemon.wait(for: " listens on ")
    try daemon.configure(#"{"sessionsPerTableMax": 9}"#)
    try daemon.wait(for: "SIGHUP: --sessions-per-table-max 9 (was 1)\n")
    #expect(daemon.process.stop() == 0, "\(daemon.process.errors)")
  }

  #if os(Linux)
    /// From the moment on at which the program is seen to watch signals.
    @Test func `a daemon that is stopped at any time of its start ends cleanly`() throws {
      for milliseconds in stride(from: 0, through: 60, by: 3) as StrideThrough<UInt32> {
        let daemon = try ChildProcess("baized", ["--listen", "127.0.0.1:0", "--http", "off", "--durability", "memory"])
        try waitUntil(for: "the daemon to watch signals", step: { usleep(100) }) { Self.blocks(SIGTERM, daemon) }
        usleep(milliseconds * 1_000)
        daemon.send(SIGTERM)
        #expect(daemon.waitForExit() == 0, "\(milliseconds) ms: \(daemon.errors)")
      }
    }

    private static func blocks(_ signal: Int32, _ process: ChildProcess) -> Bool {
      let status = try? String(contentsOfFile: "/proc/\(process.usage.process)/status", encoding: .utf8)
      let line = status?.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
      let mask = line?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? 0
      return mask & (1 << UInt64(signal - 1)) != 0
    }
  #endif

  /// With signals that wait while the system loads the program, as a harness that stops programs at any time starts them.
  @Test(arguments: [
    ["baized", "--listen", "127.0.0.1:0", "--http", "off", "--durability", "memory"],
    ["baized", "demo", "--bots", "1", "--type", "list?items=3"],
    ["baize-bot", "--table", "t", "--type", "list?items=3", "--connect"],
    ["baize-load", "reconnect", "--tables", "1", "--players", "1", "--type", "list?items=3", "--connect"],
  ])
  func `no stop comes too early`(words: [String]) throws {
    let daemon = try ChildProcess.daemon()
    let arguments = words.dropFirst() + (words.last == "--connect" ? ["\(daemon.address)"] : [])
    for milliseconds in stride(from: 0, through: 60, by: 12) as StrideThrough<UInt32> {
      let program = try ChildProcess(words[0], Array(arguments), keepsEarlySignals: true)
      usleep(milliseconds * 1_000)
      program.send(SIGTERM)
      #expect(program.waitForExit() == 0, "\(milliseconds) ms: \(program.output)\(program.errors)")
    }
    #expect(daemon.stop() == 0)
  }
}
