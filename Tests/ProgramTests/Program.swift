import Foundation
import Testing

/// A running program of the package. Its output goes to files, so that no full pipe blocks it.
final class Program {
  private let process = Process()
  private let folder: URL

  /// Starts a program from the directory of the test bundle.
  init(_ name: String, _ arguments: [String]) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("baize-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    process.executableURL = Self.products.appendingPathComponent(name)
    process.arguments = arguments
    // The files it creates in its working directory, such as a journal, are deleted with the folder.
    process.currentDirectoryURL = folder
    process.standardOutput = try Self.file(folder.appendingPathComponent("output"))
    process.standardError = try Self.file(folder.appendingPathComponent("errors"))
    try process.run()
  }

  deinit {
    if process.isRunning { process.terminate() }
    do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
  }

  /// The output so far.
  var output: String { text("output") }
  var errors: String { text("errors") }

  /// Sends SIGTERM, as a service manager does.
  func terminate() { process.terminate() }

  /// Waits for the exit code; `nil` after a timeout or a signal.
  func exitCode(within seconds: Double) async throws -> Int32? {
    guard try await waiting(seconds, { !self.process.isRunning }) else { return nil }
    return process.terminationReason == .exit ? process.terminationStatus : nil
  }

  /// Waits for a line with a prefix and returns the rest of the line.
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

  /// The build directory, which contains the test bundle.
  private static var products: URL {
    if let bundle = Bundle.allBundles.first(where: { $0.bundlePath.hasSuffix(".xctest") }) {
      return bundle.bundleURL.deletingLastPathComponent()
    }
    return URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
  }
}
