package import Foundation

/// A folder for temporary files, deleted with this object unless it is to be kept.
package final class TemporaryFolder {
  package let url: URL
  /// Whether it outlasts this object.
  package var isKept = false

  /// - Parameter parent: The folder it is made in; the system's temporary directory unless given.
  package init(in parent: String? = nil) throws {
    let parent = parent.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
    url = parent.appendingPathComponent("baize-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// Returns the path of a file in it.
  package func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  deinit { if !isKept { try? FileManager.default.removeItem(at: url) } }
}
