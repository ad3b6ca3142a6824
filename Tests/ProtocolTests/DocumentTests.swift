import BaizeTable
import BaizeTableTypes
import Foundation
import TestSupport
import Testing

/// The documents against the repository: what they show is what there is.
@Suite struct DocumentTests {
  /// The contents of a document's code blocks in a language.
  private static func blocks(_ language: String, of path: String) throws -> [String] {
    try Repository.text(path).components(separatedBy: "\n```\(language)\n").dropFirst().map {
      String($0.prefix(upTo: $0.range(of: "```\n")?.lowerBound ?? $0.endIndex))
    }
  }

  /// What is between `open` and `close`, wherever they stand in `text`.
  private static func pieces(between open: String, and close: Character, in text: some StringProtocol) -> [String] {
    text.components(separatedBy: open).dropFirst().map { String($0.prefix { $0 != close }) }
  }

  @Test func `the Swift examples are the files that are compiled`() throws {
    for (document, files) in [("README.md", ["First"]), ("Protocol/apps.md", ["Example", "Surviving"])] {
      let sources = try files.map { try Repository.text("Tests/Dependent/Sources/dependent/\($0).swift") }
      #expect(try Self.blocks("swift", of: document) == sources)
    }
  }

  /// The last one is a link to a file of `Tests/Dependent`, which is compiled and run.
  @Test func `each step of the tutorial goes on from the one before`() throws {
    let steps = try (1...5).map {
      try Repository.text("Sources/BaizeClient/BaizeClient.docc/ShareABoard/ShareABoard-\($0).swift")
    }
    for (step, next) in zip(steps, steps.dropFirst()) {
      // All but the brace at the end stays.
      #expect(next.hasPrefix(step.hasSuffix("\n}\n") && step != steps[0] ? String(step.dropLast(2)) : step))
    }
  }

  @Test func `a stranger can finish the README`() throws {
    #expect(try Repository.bytes("README.md").count <= 10_240)
  }

  @Test func `the example table type is valid and works as described`() throws {
    let json = try Repository.text("Protocol/table-types/examples/kitchen.json")
    #expect(try Self.blocks("json", of: "Protocol/table-types.md").first == json)
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
    let document = try Repository.text(".github/CONTRIBUTING.md")
    for suite in Self.pieces(between: "`", and: "`", in: document) where suite.wholeMatch(of: /[A-Za-z]+Tests/) != nil {
      #expect(sources.contains { Self.declares($0, suite) }, "\(suite)")
    }
    let rows = document.split(separator: "\n").filter { $0.hasPrefix("| I") }
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
    let documents = try Repository.documents().map(Repository.text)
    let commands = documents.joined(separator: "\n").split(separator: "\n").compactMap {
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
    let document = try Repository.text(".github/CONTRIBUTING.md")
    let part = try #require(document.components(separatedBy: "\n## The sources\n").last)
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
