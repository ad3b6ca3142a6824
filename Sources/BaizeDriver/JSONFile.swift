import Foundation

/// Writes results for programs.
package enum JSONFile {
  /// Writes an object of JSON to a file, with sorted keys.
  package static func write(_ object: [String: Any], to path: String) throws {
    let data = try JSONSerialization.data(withJSONObject: object, options: [.prettyPrinted, .sortedKeys])
    try data.write(to: URL(fileURLWithPath: path))
  }
}
