import BaizeCommandLine
import BaizeTableTypes

/// `baized check FILE…`: says what is wrong with table types, and where.
enum CheckCommand {
  private static let command = Command(
    "baized check",
    summary: "Checks table types: JSON documents with the rules and the set-up of a kind of table.",
    usage: ["FILE…"], operands: "FILE…", sections: [],
    notes: [
      "Every mistake is one line on standard output, FILE:LINE:COLUMN: PATH: MESSAGE. A file without mistakes gives "
        + "FILE: ok. The exit code is 0 if all files are without mistakes, otherwise 2."
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    guard !parsed.operands.isEmpty else {
      Console.refuse(command.name, "no file is named (see \(command.name) --help)")
    }
    var isFine = true
    for file in parsed.operands where !check(file) { isFine = false }
    Console.end(isFine ? .success : .misuse)
  }

  /// Whether a file is there and without mistakes.
  private static func check(_ file: String) -> Bool {
    let bytes: [UInt8]
    do {
      bytes = try TableTypeFile.read(file)
    } catch {
      Console.complain("\(command.name): \(error)")
      return false
    }
    let mistakes = Checker.mistakes(in: bytes)
    for mistake in mistakes { Console.say(mistake.line(in: file)) }
    if mistakes.isEmpty { Console.say("\(file): ok") }
    return mistakes.isEmpty
  }
}

extension Mistake {
  /// As compilers write it, so that an editor can jump there.
  func line(in file: String) -> String {
    "\(file):\(position.line):\(position.column): " + (path.isEmpty ? "" : "\(path): ") + message
  }
}
