import BaizeLaboratory

/// A process that a measure starts of itself: this program with a word that its help does not list.
struct LabPart: Sendable {
  let word: String
  /// Receives the arguments behind the word.
  let script: @Sendable ([String]) throws -> Void

  init(_ word: String, _ script: @escaping @Sendable ([String]) throws -> Void) {
    (self.word, self.script) = (word, script)
  }

  /// Starts the process.
  ///
  /// - Parameters:
  ///   - marker: The words before the address on the first line of its output, for which the start waits.
  ///   - core: The core that it is bound to.
  func start(_ arguments: [String], marker: String? = nil, core: Int? = nil) throws -> ChildProcess {
    try ChildProcess(LabCommand.name, [word] + arguments, marker: marker, core: core)
  }
}

extension LabPart {
  static var all: [LabPart] { [relay, senders, crowd, relaunched] }
}
