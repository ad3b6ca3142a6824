import BaizeCommandLine
import BaizeLaboratory

/// A process that a measure starts of itself: this program with a word that its help does not list.
struct LabPart: Sendable {
  let word: String
  private let script: @Sendable ([String]) throws -> Void

  /// - Parameter script: Receives the arguments behind the word.
  init(_ word: String, _ script: @escaping @Sendable ([String]) throws -> Void) {
    (self.word, self.script) = (word, script)
  }

  /// Starts the process.
  func start(_ arguments: [String]) throws -> ChildProcess { try ChildProcess(LabCommand.name, [word] + arguments) }

  /// Is the process.
  func run(_ arguments: [String]) -> Never {
    do {
      try script(arguments)
      Console.end(.success)
    } catch {
      Console.refuse("\(LabCommand.name) \(word)", "\(error)")
    }
  }
}

extension LabPart {
  static var all: [LabPart] { [coreStep, relaunched] }
}
