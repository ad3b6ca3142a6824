import Foundation

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

/// The project's sources as they lie on disk.
enum SourceTree {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func targets() throws -> Set<String> {
    let sources = root.appendingPathComponent("Sources")
    return Set(
      try FileManager.default.contentsOfDirectory(atPath: sources.path).filter { !$0.hasPrefix(".") })
  }

  static func swiftFiles(in target: String) throws -> [SourceFile] {
    let folder = root.appendingPathComponent("Sources/\(target)")
    guard let walk = FileManager.default.enumerator(atPath: folder.path) else { return [] }
    return try walk.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted().map { path in
      let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
      return SourceFile(path: "\(target)/\(path)", text: text)
    }
  }
}
