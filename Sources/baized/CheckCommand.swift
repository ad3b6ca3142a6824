import BaizeCommandLine
import BaizeTableTypes

/// `baized check FILE…`: reports mistakes in table types with their positions.
enum CheckCommand {
  static let command = Command(
    "baized check",
    summary: "Checks table types: JSON documents with the rules and the set-up of a kind of table.",
    usage: ["FILE…"], operands: "FILE…", sections: [],
    notes: [
      "Each mistake is one line on standard output: FILE:LINE:COLUMN: KIND: PATH: MESSAGE. The kind is 'json' where the text is no "
        + "JSON or a key appears twice, 'form' where the document does not have the form that table-type.schema.json describes, "
        + "and 'meaning' where only the contents are wrong, such as a name that is not there.",
      "The document is also compiled with each option at its extreme values. Where that would take too long, a line on standard "
        + "error says how many were tried.",
      "A file without mistakes prints FILE: ok. The exit code is 0 if no file has a mistake, otherwise 2.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    guard !parsed.operands.isEmpty else {
      Console.refuse(command.name, "no file given (see \(command.name) --help)")
    }
    var isFine = true
    for file in parsed.operands where !check(file) { isFine = false }
    Console.end(isFine ? .success : .misuse)
  }

  /// Prints a file's mistakes. Returns whether the file is readable and has none.
  private static func check(_ file: String) -> Bool {
    let bytes: [UInt8]
    do {
      bytes = try TableTypeFile.read(file)
    } catch {
      Console.printError("\(command.name): \(error)")
      return false
    }
    let check = Checker.check(bytes)
    let mistakes = check.mistakes
    if check.triedValues < check.values, mistakes.isEmpty {
      Console.printError(
        "\(command.name): \(file): only \(check.triedValues) of \(check.values) values of its options were tried, since the "
          + "document is large; tables with the others may be refused")
    }
    for mistake in mistakes { Console.print(mistake.line(in: file, withKind: true)) }
    if mistakes.isEmpty { Console.print("\(file): ok") }
    return mistakes.isEmpty
  }
}

extension Mistake {
  /// Returns the mistake in the format of a compiler's diagnostic, so that an editor can jump to it.
  func line(in file: String, withKind: Bool = false) -> String {
    "\(file):\(position.line):\(position.column): " + (withKind ? "\(kind.word): " : "")
      + (path.isEmpty ? "" : "\(path): ") + message
  }
}

extension Mistake.Kind {
  /// The word for the kind in what `baized check` prints.
  fileprivate var word: String {
    switch self {
    case .syntax: "json"
    case .form: "form"
    case .meaning: "meaning"
    }
  }
}
