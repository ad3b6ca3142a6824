import BaizeTableTypes
import Foundation
import TestSupport
import Testing

/// The checker classifies every document under `Protocol/table-types/fixtures` as its folder says, with the messages in the
/// text file beside it. `Protocol/check_schema.py` holds the schema to the same files.
@Suite struct FixtureTests {
  static let folder = "Protocol/table-types/fixtures/"

  static func documents(in kind: String) throws -> [String] {
    try Repository.names(in: folder + kind).filter { $0.hasSuffix(".json") }.map { "\(kind)/\($0.dropLast(5))" }
  }

  @Test(arguments: try documents(in: "right")) func `a right document has no mistakes`(document: String) throws {
    let bytes = try Repository.bytes("\(Self.folder)\(document).json")
    #expect(Checker.mistakes(in: bytes) == [])
    #expect(try TableTypeDocument(parsing: bytes).text == Repository.text("\(Self.folder)\(document).json"))
  }

  @Test(arguments: try documents(in: "wrong-form"))
  func `a document that is wrong in form has the listed mistakes`(document: String) throws {
    let mistakes = try mistakes(in: document)
    #expect(mistakes.contains { $0.kind == .form })
  }

  @Test(arguments: try documents(in: "wrong-meaning"))
  func `a document that is wrong in meaning has the listed mistakes`(document: String) throws {
    let mistakes = try mistakes(in: document)
    #expect(mistakes.allSatisfy { $0.kind == .meaning } && !mistakes.isEmpty)
  }

  @Test func `the whole documents in Protocol/table-types.md are valid`() throws {
    let blocks = try Repository.text("Protocol/table-types.md").components(separatedBy: "```json\n").dropFirst()
    let documents = blocks.compactMap { $0.components(separatedBy: "```").first }.filter { $0.contains("\"baize\": 1") }
    for document in documents { #expect(Checker.mistakes(in: Array(document.utf8)) == []) }
    #expect(
      try documents.map { try TableTypeDocument(parsing: $0).name } == ["kitchen", "two-piles", "piles", "columns"])
  }

  @Test func `there are fixtures of every kind`() throws {
    #expect(try Self.documents(in: "right").count >= 2)
    #expect(try Self.documents(in: "wrong-form").count >= 16)
    #expect(try Self.documents(in: "wrong-meaning").count >= 14)
  }

  /// Returns the mistakes that the checker finds, after comparing them with the expected ones.
  private func mistakes(in document: String) throws -> [Mistake] {
    let mistakes = Checker.mistakes(in: try Repository.bytes("\(Self.folder)\(document).json"))
    let expected = try Repository.text("\(Self.folder)\(document).txt").split(separator: "\n").map(String.init)
    #expect(mistakes.map(\.description) == expected)
    return mistakes
  }
}
