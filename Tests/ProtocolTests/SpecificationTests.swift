import BaizeTableTypes
import BaizeWire
import Foundation
import TestSupport
import Testing

/// The chapters of `Protocol` with numbered rules against the sources: what they have, the rules name.
@Suite struct SpecificationTests {
  private static let rules = Result { try Repository.rules() }

  /// All chapters with rules.
  private static func specification() throws -> String {
    try rules.get().map(\.text).joined(separator: "\n")
  }

  /// What `pattern` captures in `text`.
  private static func captures(_ pattern: String, in text: String) throws -> [String] {
    let expression = try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
    let whole = NSRange(text.startIndex..., in: text)
    return expression.matches(in: text, range: whole).compactMap { match in
      Range(match.range(at: 1), in: text).map { String(text[$0]) }
    }
  }

  @Test func `rules are numbered from 1 in each part, without gaps`() throws {
    let text = try Self.specification()
    let rules =
      try Self.captures(#"\*\*([A-Z][0-9]+)\."#, in: text) + Self.captures(#"^\| \*\*(R[0-9]+)\*\*"#, in: text)
    let parts = Dictionary(grouping: rules, by: \.first)
    #expect(parts.keys.compactMap { $0 }.sorted() == Array("ABCDEFGHJKLMNOPQRSTVWXY"))
    for (part, rules) in parts {
      #expect(rules.compactMap { Int($0.dropFirst()) } == Array(1...rules.count), "\(part.map(String.init) ?? "")")
    }
  }

  @Test func `the index ends at the last rule of each part, in the chapter that has it`() throws {
    let index = try Repository.text("Protocol/README.md")
    for (path, text) in try Self.rules.get() {
      let rules = try Self.captures(#"\*\*([A-Z][0-9]+)[.*]"#, in: text)
      for (part, rules) in Dictionary(grouping: rules, by: \.first) {
        let last = "\(part.map(String.init) ?? "")\(rules.compactMap { Int($0.dropFirst()) }.max() ?? 0)"
        #expect(index.contains("–\(last)](\(path.dropFirst("Protocol/".count))"), "\(last)")
      }
    }
  }

  @Test func `every rule that is referred to exists`() throws {
    let rules = Set(try Self.captures(#"\*\*([A-Z][0-9]+)[.*]"#, in: Self.specification()))
    let others = ["Protocol/baize.proto", "Tests/ForeignClient/foreign_client.py"]
    for path in try Repository.documents() + others {
      let text = try Repository.text(path)
      for rule in try Self.captures(#"\b([ABCDEFGHJKLMNOPQRSTVWXY][0-9]{1,2})\b"#, in: text) where !rules.contains(rule)
      {
        Issue.record("there is no rule \(rule), which \(path) names")
      }
    }
  }

  @Test func `every link leads to a file and a heading that exist`() throws {
    for path in try Repository.documents() {
      let text = try Repository.text(path)
      let links =
        try Self.captures(#"\]\(([^)\s]+)\)"#, in: text) + Self.captures(#"^\[[A-Z][0-9]+\]: (\S+)$"#, in: text)
      let folder = Repository.root.appending(path: path).deletingLastPathComponent()
      for link in links where !link.contains("://") {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let file = parts[0].isEmpty ? Repository.root.appending(path: path) : folder.appending(path: String(parts[0]))
        #expect(FileManager.default.fileExists(atPath: file.path), "\(path): \(link)")
        guard parts.count == 2 else { continue }
        let target = try String(contentsOf: file, encoding: .utf8)
        let anchors = try Self.captures("^#+ (.*)$", in: target).map(Self.anchor)
        #expect(anchors.contains(String(parts[1])), "\(path): \(link)")
      }
    }
  }

  /// The anchor that a heading gets.
  private static func anchor(of heading: String) -> String {
    heading.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" || $0 == " " }
      .replacing(" ", with: "-")
  }

  @Test func `a rule that is referred to in brackets is a link to its part`() throws {
    var places: [String: Set<String>] = [:]
    for (path, text) in try Self.rules.get() {
      let file = String(path.dropFirst("Protocol/".count))
      var part = ""
      for line in text.split(separator: "\n") {
        if line.hasPrefix("# ") || line.hasPrefix("## ") {
          part = Self.anchor(of: String(line.drop { "# ".contains($0) }))
        }
        for rule in try Self.captures(#"^(?:\| )?\*\*([A-Z][0-9]+)[.*]"#, in: String(line)) {
          places[rule, default: []].formUnion([file, "\(file)#\(part)"])
        }
      }
    }
    for path in try Repository.documents() where path.hasPrefix("Protocol/") {
      let text = try Repository.text(path)
      let named = Set(try Self.captures(#"\[([A-Z][0-9]+)\](?![:(])"#, in: text))
      let linked = Dictionary(
        uniqueKeysWithValues: zip(
          try Self.captures(#"^\[([A-Z][0-9]+)\]: "#, in: text),
          try Self.captures(#"^\[[A-Z][0-9]+\]: (.*)$"#, in: text)))
      #expect(named == Set(linked.keys), "\(path)")
      let file = String(path.dropFirst("Protocol/".count))
      for (rule, link) in linked {
        let target = link.hasPrefix("#") ? file + link : link
        #expect(places[rule]?.contains(target) == true, "\(path): \(rule) leads to \(link)")
      }
    }
  }

  @Test func `every case of rebase has a row, and every row a case`() throws {
    let text = try Self.specification()
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| **R") || $0.hasPrefix("| N") }
    let cited = try rows.flatMap { row in
      try Self.captures("-([0-9]{2,3})\\b", in: row.split(separator: "|").last.map(String.init) ?? "")
    }
    for row in rows { #expect(row.contains("rebase-"), "\(row)") }
    let cases = try Self.captures(#""id": "rebase-([0-9]+)""#, in: Repository.text("Protocol/vectors/rebase.json"))
    #expect(cited.sorted() == cases.sorted())
  }

  @Test func `every reason code is in the table of E1`() throws {
    let text = try Self.specification()
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
    let text = try Self.specification()
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
    let text = try Self.specification()
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
