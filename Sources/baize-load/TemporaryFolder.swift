import Foundation

/// A folder for a run's files, which goes when the run does.
final class TemporaryFolder {
  private let url: URL

  /// - Parameter parent: Where it is made; the system's folder for such unless given.
  init(in parent: String? = nil) throws {
    let parent = parent.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
    url = parent.appendingPathComponent("baize-load-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// The path of a file in it.
  func file(_ name: String) -> String { url.appendingPathComponent(name).path }

  deinit { try? FileManager.default.removeItem(at: url) }
}
