package import BaizeDriver
package import BaizeTransport
import Foundation

/// One of the package's programs, running beside this one, and killed if this one ends first. Its output goes to files, so that
/// no full pipe blocks it.
package final class ChildProcess {
  private let process = Process()
  /// The address that it listens at; port 0 if it was started without a marker.
  package private(set) var address = SocketAddress.loopback(port: 0)
  /// The folder of its output.
  private let logs: TemporaryFolder
  /// The directory that it runs in, if that is its own.
  private let folder: TemporaryFolder

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: The name of a program that was built beside this one.
  ///   - marker: The words before the address on the first line of its output; `nil` for a program that does not listen.
  ///   - folder: The directory that it runs in; a temporary one unless given.
  ///   - programs: The folder of the program; this program's own unless given.
  ///   - environment: Added to this program's own, but for that program's settings; `nil` removes a variable.
  ///   - core: The core that it is bound to with all its threads; `nil` for any.
  ///   - keepsEarlySignals: Whether signals that stop it or reload it wait until it watches them, in place of ending it while the
  ///     system still loads it, before its first instruction. Only for a program that watches them.
  /// - Throws: ``RunFailure`` if it is not there, or does not listen as announced.
  package init(
    _ program: String, _ arguments: [String], marker: String? = nil, in folder: TemporaryFolder? = nil,
    programs: String? = nil, environment: [String: String?] = [:], core: Int? = nil,
    keepsEarlySignals: Bool = false
  ) throws {
    logs = try TemporaryFolder()
    self.folder = try folder ?? TemporaryFolder()
    let executable = (programs.map { URL(fileURLWithPath: $0) } ?? Self.products).appendingPathComponent(program)
    guard FileManager.default.isExecutableFile(atPath: executable.path) else {
      throw RunFailure("\(executable.path) is not there: build it first")
    }
    // A daemon takes no second port unless it is asked to.
    let isQuiet = program == "baized" && marker == Self.daemonMarker && !arguments.contains("--http")
    let arguments = isQuiet ? arguments + ["--http", "off"] : arguments
    let words = (core.map(Affinity.command) ?? []) + [executable.path] + arguments
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = Array(words.dropFirst())
    process.currentDirectoryURL = self.folder.url
    // Variables such as BAIZE_SEED are meant for this program.
    let inherited = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("BAIZE_") }
    process.environment = inherited.merging(environment.compactMapValues { $0 }) { $1 }
    for (name, value) in environment where value == nil { process.environment?[name] = nil }
    process.standardOutput = try file("output")
    process.standardError = try file("errors")
    try OrphanGuard.run(process, withSignalsBlocked: keepsEarlySignals)
    if let marker { address = try waitForAddress(after: marker) }
  }

  /// The folder of the package's programs: beside this program, or beside the bundle of the tests.
  private static var products: URL {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
    let own = bundle ?? URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    return own.deletingLastPathComponent()
  }

  /// Returns the path of a program that was built beside this one.
  package static func path(of program: String) -> String { products.appendingPathComponent(program).path }

  private func file(_ name: String) throws -> FileHandle {
    let url = logs.url.appendingPathComponent(name)
    try Data().write(to: url)
    return try FileHandle(forWritingTo: url)
  }

  deinit { if process.isRunning { stop() } }

  // MARK: Output

  /// Everything on its standard output so far.
  package var output: String { text("output") }

  /// Everything on its standard error so far.
  package var errors: String { text("errors") }

  private func text(_ name: String) -> String { (try? String(contentsOfFile: logs.path(name), encoding: .utf8)) ?? "" }

  /// Returns the rest of the first complete line of its output with this prefix; `nil` if there is none yet.
  package func rest(ofLine beginning: String) -> String? {
    let lines = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    return lines.first { $0.hasPrefix(beginning) }.map { String($0.dropFirst(beginning.count)) }
  }

  /// Waits until its output has the address that it listens at.
  private func waitForAddress(after marker: String) throws -> SocketAddress {
    var text: String?
    try waitUntil(
      for: "\(process.executableURL?.lastPathComponent ?? "") to listen", step: { usleep(200) }
    ) {
      // In this order, so that everything that it wrote before its end is read.
      let hasEnded = !process.isRunning
      text = rest(ofLine: marker)
      return text != nil || hasEnded
    }
    guard let text else { throw RunFailure("the program did not start: \(output)\(errors)") }
    return try SocketAddress(parsing: text)
  }

  // MARK: The end

  package var isRunning: Bool { process.isRunning }

  package var usage: ProcessUsage { ProcessUsage(process: process.processIdentifier) }

  /// Sends a signal.
  package func send(_ signal: Int32) { _ = kill(process.processIdentifier, signal) }

  /// Waits until a signal has stopped all of its threads, which takes a moment.
  package func waitUntilStopped() throws {
    let folder = "/proc/\(process.processIdentifier)/task"
    func isStopped(_ thread: String) -> Bool {
      let status = try? String(contentsOfFile: "\(folder)/\(thread)/stat", encoding: .utf8)
      // The state is behind the name, which is in brackets.
      return status?.components(separatedBy: ") ").last?.hasPrefix("T") ?? true
    }
    try waitUntil(for: "the stop of all threads", step: { usleep(1_000) }) {
      try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy(isStopped)
    }
  }

  /// Waits for its end.
  ///
  /// - Returns: The exit code; the negative number of the signal if one ended it.
  @discardableResult
  package func waitForExit() -> Int32 {
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  /// Terminates it, if it runs, and waits for its end.
  ///
  /// - Returns: The same as ``waitForExit()``.
  @discardableResult
  package func stop() -> Int32 {
    if process.isRunning { process.terminate() }
    return waitForExit()
  }
}

extension ChildProcess {
  /// The text before a daemon's address.
  package static let daemonMarker = "baized listening on "

  /// The daemon's address for browsers.
  ///
  /// - Throws: ``RunFailure`` if it was started without one.
  package var httpAddress: SocketAddress {
    get throws {
      guard let text = rest(ofLine: "baized serves http://") else { throw RunFailure("the daemon serves no HTTP") }
      return try SocketAddress(parsing: String(text.dropLast()))
    }
  }

  /// Starts a daemon for measurements: without any limit that a harness would reach, or a slow machine.
  ///
  /// - Parameters:
  ///   - address: The address that it listens at.
  ///   - journal: The file in which it keeps its tables, strictly; `nil` for memory only.
  ///   - shards: The number of shards; by default that of the cores.
  ///   - further: Further flags.
  package static func daemon(
    listening address: String = "127.0.0.1:0", journal: String? = nil, shards: Int? = nil, core: Int? = nil,
    logLevel: String = "error",
    arguments further: [String] = []
  ) throws -> ChildProcess {
    var arguments = [
      "--listen", address, "--operations-per-second-max", "0", "--connections-per-address-max", "100000",
      "--tables-per-second-max", "0", "--tables-per-address-max", "10000000", "--journal-bytes-per-address-max",
      "\(1 << 46)",
      "--log-level", logLevel,
    ]
    arguments += HangGuard.daemonFlags(besides: further)
    arguments += journal.map { ["--journal", $0, "--durability", "strict"] } ?? ["--durability", "memory"]
    arguments += shards.map { ["--shards", "\($0)"] } ?? []
    return try ChildProcess("baized", arguments + further, marker: daemonMarker, core: core)
  }
}
