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

  @Test func `the Swift examples are the files that are compiled`() throws {
    let files = ["Example", "Surviving"].map { "Tests/Dependent/Sources/dependent/\($0).swift" }
    #expect(try Self.blocks("swift") == files.map(Repository.text))
  }

  @Test func `the example table type is valid and works as described`() throws {
    let json = try Repository.text("Protocol/table-types/examples/kitchen.json")
    #expect(try Self.blocks("json") == [json])
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
      #expect(sources.contains { Self.declares($0, suite) }, "\(suite)")
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
        let isCited = sources.contains { Self.declares($0, suite) && $0.contains(cites) }
        #expect(isCited, "\(suite) says nothing of \(invariant)")
      }
    }
  }

  private static func declares(_ source: String, _ suite: some StringProtocol) -> Bool {
    source.contains("struct \(suite) {") || source.contains("final class \(suite): ")
  }

  @Test func `every flag of a command exists`() throws {
    let commands = try Repository.text("README.md").split(separator: "\n").compactMap {
      $0.prefixMatch(of: /(?:swift run |\.build\/release\/)?(baized|baize-bot|baize-load|baize-lab|baize-sim) (.+)/)?
        .output
    }
    #expect(commands.count > 6)
    for (line, program, rest) in commands {
      let folder = ["baize-lab": "Tests/Lab", "baize-sim": "Tests/SimulatorProgram"][program] ?? "Sources/\(program)"
      let sources = try Repository.swiftFiles(below: folder).map(Repository.text)
      for word in rest.split(separator: " ") where word.hasPrefix("--") {
        #expect(sources.contains { $0.contains("\"\(word)\"") }, "\(word) in: \(line)")
      }
    }
  }

  @Test(arguments: [
    ("README.md", 5), ("Protocol/README.md", 5), ("Protocol/client.md", 5), ("Protocol/tutorial.md", 5),
  ])
  func `every link leads to something`(path: String, count: Int) throws {
    let folder = Repository.root.appending(path: path).deletingLastPathComponent()
    let links = try Self.pieces(between: "](", and: ")", in: Repository.text(path)).filter { !$0.contains("://") }
    #expect(links.count > count)
    for link in links {
      let parts = link.split(separator: "#", omittingEmptySubsequences: false)
      let file = parts[0].isEmpty ? Repository.root.appending(path: path) : folder.appending(path: String(parts[0]))
      #expect(FileManager.default.fileExists(atPath: file.path), "\(link)")
      guard parts.count == 2 else { continue }
      let headings = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("#") }
      #expect(headings.contains { Self.anchor(of: $0) == parts[1] }, "\(link)")
    }
  }

  /// Returns the fragment by which links name a heading.
  private static func anchor(of heading: some StringProtocol) -> String {
    heading.lowercased().drop { $0 == "#" || $0 == " " }.filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
      .replacing(" ", with: "-")
  }

  @Test func `the comments of the Python client name sections of the client chapter`() throws {
    let chapter = try Repository.text("Protocol/client.md")
    let client = try Repository.text("Tests/ForeignClient/foreign_client.py")
    let named = Self.pieces(between: "client.md, ", and: "\n", in: client).map { $0.prefix { !"].:".contains($0) } }
    let player = try #require(client.components(separatedBy: "\nclass Player:").last)
    let sections = Self.pieces(between: "    # ---- ", and: "\n", in: player)
    #expect(named.count > 5 && sections.count > 5)
    for section in named.map(String.init) + sections {
      #expect(chapter.contains("\n## \(section)\n"), "\(section)")
    }
  }

  @Test func `every target is in the picture of the sources`() throws {
    let readme = try Repository.text("README.md")
    let part = try #require(readme.components(separatedBy: "\n## The sources\n").last)
    let targets = try Repository.names(in: "Sources")
    for target in targets where !target.hasPrefix(".") { #expect(part.contains(target), "\(target)") }
  }

  @Test func `the overview of the tests says of every folder and script what it proves`() throws {
    let rows = try Repository.text("Tests/README.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
    let named = Set(rows.flatMap { $0.split(separator: "|")[0].matches(of: /`([^`]+)`/).map { String($0.1) } })
    let files = try Repository.names(in: "Tests").filter { !$0.hasPrefix(".") && $0 != "README.md" }
    let long = try Repository.names(in: "Tests/long").map { "long/\($0)" }
    #expect(named.symmetricDifference(files + long) == ["long"])
  }
}
