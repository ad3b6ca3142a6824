import Foundation
import Testing

/// One of the package's programs, running: what it says goes to files, so that no full pipe holds it up.
final class Program {
  private let process = Process()
  private let folder: URL

  /// Starts a program that was built beside the tests.
  init(_ name: String, _ arguments: [String]) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("baize-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    process.executableURL = Self.products.appendingPathComponent(name)
    process.arguments = arguments
    // What it makes where it is started goes with its folder: a daemon's journal does.
    process.currentDirectoryURL = folder
    process.standardOutput = try Self.file(folder.appendingPathComponent("output"))
    process.standardError = try Self.file(folder.appendingPathComponent("errors"))
    try process.run()
  }

  deinit {
    if process.isRunning { process.terminate() }
    do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
  }

  /// What it has said so far.
  var output: String { text("output") }
  var errors: String { text("errors") }

  /// Asks it to end, as a service manager does.
  func terminate() { process.terminate() }

  /// Waits for its end and gives the exit code; `nil` if it takes too long or dies of a signal.
  func exitCode(within seconds: Double) async throws -> Int32? {
    guard try await waiting(seconds, { !self.process.isRunning }) else { return nil }
    return process.terminationReason == .exit ? process.terminationStatus : nil
  }

  /// Waits until it has said a line that begins so, and gives the rest of that line.
  func rest(ofLine beginning: String, within seconds: Double) async throws -> String? {
    var rest: String?
    _ = try await waiting(seconds) {
      let lines = self.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      rest = lines.first { $0.hasPrefix(beginning) }.map { String($0.dropFirst(beginning.count)) }
      return rest != nil
    }
    return rest
  }

  private func waiting(_ seconds: Double, _ condition: () -> Bool) async throws -> Bool {
    let end = Date.now.addingTimeInterval(seconds)
    while !condition() {
      guard Date.now < end else { return false }
      try await Task.sleep(for: .milliseconds(20))
    }
    return true
  }

  private func text(_ name: String) -> String {
    (try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)) ?? ""
  }

  private static func file(_ url: URL) throws -> FileHandle {
    try Data().write(to: url)
    return try FileHandle(forWritingTo: url)
  }

  /// Where the build puts what it makes: beside the bundle of the tests.
  private static var products: URL {
    if let bundle = Bundle.allBundles.first(where: { $0.bundlePath.hasSuffix(".xctest") }) {
      return bundle.bundleURL.deletingLastPathComponent()
    }
    return URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
  }
}
