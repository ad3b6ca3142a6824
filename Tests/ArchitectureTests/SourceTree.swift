import TestSupport

/// A source file, to be read line by line.
struct SourceFile {
  let path: String
  let text: String

  /// Lines that are no comment, with their numbers from 1.
  var codeLines: [(number: Int, line: Substring)] {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
      line.drop { $0 == " " }.hasPrefix("//") ? nil : (index + 1, line)
    }
  }

  /// The modules that are imported, with the lines that do it.
  var imports: [(number: Int, module: String)] {
    let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
    return codeLines.compactMap { number, line in
      let words = line.split(separator: " ")
      guard let index = words.firstIndex(of: "import"), words[..<index].allSatisfy(Self.isModifier) else { return nil }
      let rest = words[(index + 1)...].drop { kinds.contains($0) }
      return rest.first.map { (number, String($0.prefix { $0 != "." })) }
    }
  }

  private static func isModifier(_ word: Substring) -> Bool {
    word.hasPrefix("@") || ["public", "package", "internal", "fileprivate", "private"].contains(word)
  }
}

/// The project's sources.
enum SourceTree {
  static func targets() throws -> Set<String> { Set(try Repository.names(in: "Sources").filter { !$0.hasPrefix(".") }) }

  /// Reads the Swift files below a folder of the repository.
  static func swiftFiles(below folder: String) throws -> [SourceFile] {
    try Repository.swiftFiles(below: folder).map { SourceFile(path: $0, text: try Repository.text($0)) }
  }
}
