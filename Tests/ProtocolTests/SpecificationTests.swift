import BaizeTableTypes
import BaizeWire
import Foundation
import TestSupport
import Testing

/// `Protocol/README.md` against the sources: what they have, it names.
@Suite struct SpecificationTests {
  /// What `pattern` captures in `text`.
  private static func captures(_ pattern: String, in text: String) throws -> [String] {
    let expression = try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
    let whole = NSRange(text.startIndex..., in: text)
    return expression.matches(in: text, range: whole).compactMap { match in
      Range(match.range(at: 1), in: text).map { String(text[$0]) }
    }
  }

  @Test func `rules are numbered from 1 in each part, without gaps`() throws {
    let rules =
      try Self.captures(#"\*\*([A-Z][0-9]+)\."#, in: Repository.text("Protocol/README.md"))
      + Self.captures(#"^\| \*\*(R[0-9]+)\*\*"#, in: Repository.text("Protocol/README.md"))
    let parts = Dictionary(grouping: rules, by: \.first)
    #expect(parts.keys.compactMap { $0 }.sorted() == Array("ABCDEFGHJKLMNOPQRSTVWXY"))
    for (part, rules) in parts {
      #expect(rules.compactMap { Int($0.dropFirst()) } == Array(1...rules.count), "\(part.map(String.init) ?? "")")
    }
  }

  @Test func `the index ends at the last rule of each part`() throws {
    let text = try Repository.text("Protocol/README.md")
    let index = try #require(text.components(separatedBy: "\n## ").first)
    let rules = try Self.captures(#"\*\*([A-Z][0-9]+)[.*]"#, in: text)
    for (part, rules) in Dictionary(grouping: rules, by: \.first) {
      let last = "\(part.map(String.init) ?? "")\(rules.compactMap { Int($0.dropFirst()) }.max() ?? 0)"
      #expect(index.contains("–\(last)](#") || index.contains("–\(last), "), "\(last)")
    }
  }

  @Test(arguments: [
    "Protocol/README.md", "Protocol/baize.proto", "Protocol/client.md", "Protocol/table-types.md",
    "Protocol/tutorial.md", "README.md", "Tests/ForeignClient/foreign_client.py",
  ])
  func `every rule that is referred to exists`(path: String) throws {
    let rules = Set(try Self.captures(#"\*\*([A-Z][0-9]+)[.*]"#, in: Repository.text("Protocol/README.md")))
    let text = try Repository.text(path)
    for rule in try Self.captures(#"\b([ABCDEFGHJKLMNOPQRSTVWXY][0-9]{1,2})\b"#, in: text) where !rules.contains(rule) {
      Issue.record("there is no rule \(rule)")
    }
  }

  @Test(arguments: [
    "Protocol/README.md", "Protocol/client.md", "Protocol/table-types.md", "Protocol/tutorial.md", "README.md",
  ])
  func `every link leads to a file and a heading that exist`(path: String) throws {
    let text = try Repository.text(path)
    let links =
      try Self.captures(#"\]\(([^)\s]+)\)"#, in: text) + Self.captures(#"^\[[A-Z][0-9]+\]: (\S+)$"#, in: text)
    let folder = path.split(separator: "/").dropLast().map { "\($0)/" }.joined()
    for link in links where !link.contains("://") {
      let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      let target = parts[0].isEmpty ? path : folder + parts[0]
      guard parts.count == 2 else {
        #expect(FileManager.default.fileExists(atPath: Repository.root.appending(path: target).path), "\(link)")
        continue
      }
      let anchors = try Self.captures("^#+ (.*)$", in: Repository.text(target)).map(Self.anchor)
      #expect(anchors.contains(String(parts[1])), "\(link)")
    }
  }

  /// The anchor that a heading gets.
  private static func anchor(of heading: String) -> String {
    heading.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" || $0 == " " }
      .replacing(" ", with: "-")
  }

  @Test func `a rule that is referred to in brackets is a link to its part`() throws {
    let text = try Repository.text("Protocol/README.md")
    let named = Set(try Self.captures(#"\[([A-Z][0-9]+)\](?!:)"#, in: text))
    let linked = Dictionary(
      uniqueKeysWithValues: zip(
        try Self.captures(#"^\[([A-Z][0-9]+)\]: #"#, in: text),
        try Self.captures(#"^\[[A-Z][0-9]+\]: #(.*)$"#, in: text)))
    #expect(!named.isEmpty && named == Set(linked.keys))
    var part = ""
    for line in text.split(separator: "\n") {
      if line.hasPrefix("## ") { part = Self.anchor(of: String(line.dropFirst(3))) }
      for rule in try Self.captures(#"^(?:\| )?\*\*([A-Z][0-9]+)[.*]"#, in: String(line)) where linked[rule] != nil {
        #expect(linked[rule] == part, "\(rule)")
      }
    }
  }

  @Test func `every case of rebase has a row, and every row a case`() throws {
    let text = try Repository.text("Protocol/README.md")
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| **R") || $0.hasPrefix("| N") }
    let cited = try rows.flatMap { row in
      try Self.captures("-([0-9]{2,3})\\b", in: row.split(separator: "|").last.map(String.init) ?? "")
    }
    for row in rows { #expect(row.contains("rebase-"), "\(row)") }
    let cases = try Self.captures(#""id": "rebase-([0-9]+)""#, in: Repository.text("Protocol/vectors/rebase.json"))
    #expect(cited.sorted() == cases.sorted())
  }

  @Test func `every reason code is in the table of E1`() throws {
    let text = try Repository.text("Protocol/README.md")
    var codes = try Self.captures(
      #"= Reason\("([A-Z_]+)"\)"#, in: Repository.text("Sources/BaizeTable/Model/Refusal.swift"))
    for document in TableTypeLibrary.bundled.documents {
      codes += try Self.captures(#""else": "([A-Z_]+)""#, in: document.text)
    }
    #expect(codes.count > 30)
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }.compactMap { $0.split(separator: "|").first }
    for code in codes { #expect(rows.contains { $0.contains("`\(code)`") }, "\(code)") }
  }

  @Test func `every goodbye code is in the table of E2, with what may be resumed`() throws {
    let text = try Repository.text("Protocol/README.md")
    let codes = try Self.captures(
      #"= GoodbyeReason\("([A-Z_]+)"\)"#, in: Repository.text("Sources/BaizeWire/Messages/Goodbye.swift"))
    #expect(codes.count > 15)
    for code in codes {
      let resumable = GoodbyeReason(rawValue: code).isResumable ? "yes" : "no"
      let isNamed = text.contains("\n| `\(code)` | \(resumable) |")
      #expect(isNamed, "\(code)")
    }
  }

  /// The client library's own bounds concern no one else; those of documents stand in `table-types.md`.
  @Test(arguments: [("TableLimits", 7), ("WireLimits", 15), ("SyncLimits", 25), ("ServerLimits", 4)])
  func `every limit is in the tables of L2 to L4`(type: String, count: Int) throws {
    let text = try Repository.text("Protocol/README.md")
    let declaration = try #require(
      Self.captures(
        "(?s)public (?:enum|struct) \(type)\\b.*?\\{(.*?)^\\}", in: Repository.text("Sources/BaizeTable/Limits.swift")
      ).first)
    let names = try Self.captures(#"public (?:static let|var) ([A-Za-z]+)(?::| = (?!\w+\(\)))"#, in: declaration)
    #expect(names.count >= count)
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
    for name in names {
      let isNamed = rows.contains { row in row.contains("`\(name)`") || row.contains(".\(name)`") }
      #expect(isNamed, "\(name)")
    }
  }
}
