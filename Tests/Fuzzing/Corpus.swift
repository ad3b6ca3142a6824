import Foundation

/// Inputs in folders.
struct Corpus {
  let folders: [URL]

  /// Reads every input once, as fuzzing would.
  ///
  /// - Returns: Whether some of them are valid for the target.
  func read(by target: FuzzTarget) throws -> Bool {
    var count = 0
    var understood = 0
    for folder in folders {
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
        count += 1
        if target.run(Array(try Data(contentsOf: folder.appendingPathComponent(name)))) { understood += 1 }
      }
    }
    print("\(target.rawValue): \(count) inputs, \(understood) of them make sense")
    return understood > 0
  }
}
