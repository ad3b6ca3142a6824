import BaizeTable
import BaizeTableTypes
import Foundation
import TestSupport
import Testing

/// `README.md` against the repository: what it shows is what there is.
@Suite struct ReadmeTests {
  /// The contents of the README's code blocks in a language.
  private static func blocks(_ language: String) throws -> [String] {
    try Repository.text("README.md").components(separatedBy: "\n```\(language)\n").dropFirst().map {
      String($0.prefix(upTo: $0.range(of: "```\n")?.lowerBound ?? $0.endIndex))
    }
  }

  /// What is between `open` and `close`, wherever they stand in `text`.
  private static func pieces(between open: String, and close: Character, in text: some StringProtocol) -> [String] {
    text.components(separatedBy: open).dropFirst().map { String($0.prefix { $0 != close }) }
  }

  @Test func `the Swift example is the file that is compiled`() throws {
    #expect(try Self.blocks("swift") == [Repository.text("Tests/Dependent/Sources/dependent/Example.swift")])
  }

  @Test func `the example table type is valid and works as described`() throws {
    let json = try #require(try Self.blocks("json").first)
    #expect(Checker.mistakes(in: Array(json.utf8)) == [])
    let type = try TableTypeDocument(parsing: json).makeTableType(options: "slots=2")
    let state = Table(type: type, random: RandomSource(seed: 1)).state
    let orders = state.items(in: try #require(type.handle(of: "orders")), from: 0, limit: 3)
    let stove = Destination.end(of: try #require(type.handle(of: "stove/1")))
    let reasons = orders.map { order in
      let difference = ReorderDifference(sources: [order.id], destination: stove)
      return state.dropConfiguration(for: difference, by: SeatNumber(rawValue: 1)).refusal?.reason.rawValue
    }
    #expect(reasons == [nil, "NOT_HOT", nil])
  }

  @Test func `every named suite exists and cites its invariant`() throws {
    let files = try Repository.swiftFiles(below: "Tests").filter { $0.hasSuffix("Tests.swift") }
    let sources = try files.map(Repository.text)
    let readme = try Repository.text("README.md")
    for suite in Self.pieces(between: "`", and: "`", in: readme) where suite.wholeMatch(of: /[A-Za-z]+Tests/) != nil {
      #expect(sources.contains { $0.contains("struct \(suite) {") }, "\(suite)")
    }
    let rows = readme.split(separator: "\n").filter { $0.hasPrefix("| I") }
    #expect(rows.map { $0.dropFirst(2).prefix { $0 != " " } } == (1...12).map { "I\($0)" })
    for row in rows {
      let columns = row.split(separator: "|", omittingEmptySubsequences: false)
      let invariant = columns[1].filter { $0 != " " }
      let cites = try Regex("\\b\(invariant)\\b")
      let suites = Self.pieces(between: "`", and: "`", in: columns[3]).filter { $0.hasSuffix("Tests") }
      #expect(!suites.isEmpty, "\(invariant)")
      for suite in suites {
        let isCited = sources.contains { $0.contains("struct \(suite) {") && $0.contains(cites) }
        #expect(isCited, "\(suite) says nothing of \(invariant)")
      }
    }
  }

  @Test func `every flag of a command exists`() throws {
    let commands = try Repository.text("README.md").split(separator: "\n").compactMap {
      $0.prefixMatch(of: /(?:swift run |\.build\/release\/)?(baized|baize-bot|baize-load|baize-sim) (.+)/)?.output
    }
    #expect(commands.count > 6)
    for (line, program, rest) in commands {
      let sources = try Repository.swiftFiles(below: "Sources/\(program)").map(Repository.text)
      for word in rest.split(separator: " ") where word.hasPrefix("--") {
        #expect(sources.contains { $0.contains("\"\(word)\"") }, "\(word) in: \(line)")
      }
    }
  }

  @Test func `every link leads to something`() throws {
    let readme = try Repository.text("README.md")
    let links = Self.pieces(between: "](", and: ")", in: readme).filter { !$0.contains("://") }
    #expect(links.count > 5)
    for link in links {
      let file = Repository.root.appending(path: String(link.prefix { $0 != "#" })).path
      #expect(FileManager.default.fileExists(atPath: file), "\(link)")
    }
  }

  @Test func `every target is in the picture of the sources`() throws {
    let readme = try Repository.text("README.md")
    let part = try #require(readme.components(separatedBy: "\n## The sources\n").last)
    let targets = try Repository.names(in: "Sources")
    for target in targets where !target.hasPrefix(".") { #expect(part.contains(target), "\(target)") }
  }
}
