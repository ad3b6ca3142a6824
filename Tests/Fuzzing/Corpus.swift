import Foundation

/// Inputs in folders.
struct Corpus {
  let folders: [URL]

  /// Reads every input once, as fuzzing would.
  ///
  /// - Returns: Whether there are any, and some of them make sense to the target.
  func read(by target: FuzzTarget) throws -> Bool {
    var count = 0
    var understood = 0
    try forEach(by: target) { _, makesSense in
      count += 1
      if makesSense { understood += 1 }
    }
    print("\(target.rawValue): \(count) inputs, \(understood) of them make sense")
    return understood > 0
  }

  /// Says the names of those that make sense to the target, one a line.
  func sift(by target: FuzzTarget) throws {
    try forEach(by: target) { name, makesSense in if makesSense { print(name) } }
  }

  private func forEach(by target: FuzzTarget, _ body: (_ name: String, _ makesSense: Bool) -> Void) throws {
    for folder in folders {
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
        body(name, target.run(Array(try Data(contentsOf: folder.appendingPathComponent(name)))))
      }
    }
  }
}
