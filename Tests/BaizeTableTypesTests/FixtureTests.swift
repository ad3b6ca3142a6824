import BaizeTableTypes
import Foundation
import Testing

/// The checker classifies every document under `Protocol/table-types/fixtures` as its folder says, with the messages in the
/// text file beside it. `Protocol/check_schema.py` holds the schema to the same files.
@Suite struct FixtureTests {
  static let folder = "Protocol/table-types/fixtures/"

  static func documents(in kind: String) throws -> [String] {
    try Files.names(in: folder + kind).filter { $0.hasSuffix(".json") }.map { "\(kind)/\($0.dropLast(5))" }
  }

  @Test(arguments: try documents(in: "right"))
  func isRight(document: String) throws {
    let bytes = try Files.bytes("\(Self.folder)\(document).json")
    #expect(Checker.mistakes(in: bytes) == [])
    #expect(try TableTypeDocument(parsing: bytes).text == Files.text("\(Self.folder)\(document).json"))
  }

  @Test(arguments: try documents(in: "wrong-form"))
  func isWrongInForm(document: String) throws {
    let mistakes = try mistakes(in: document)
    #expect(mistakes.contains { $0.kind == .form })
  }

  @Test(arguments: try documents(in: "wrong-meaning"))
  func isWrongInMeaning(document: String) throws {
    let mistakes = try mistakes(in: document)
    #expect(mistakes.allSatisfy { $0.kind == .meaning } && !mistakes.isEmpty)
  }

  /// The first example in `Protocol/table-types.md`.
  @Test func theReferenceExampleIsValid() throws {
    let reference = try Files.text("Protocol/table-types.md")
    let start = try #require(reference.range(of: "```json\n"))
    let end = try #require(reference[start.upperBound...].range(of: "```"))
    let example = reference[start.upperBound..<end.lowerBound]
    #expect(Checker.mistakes(in: Array(example.utf8)) == [])
    #expect(try TableTypeDocument(parsing: String(example)).name == "two-piles")
  }

  @Test func fixturesExist() throws {
    #expect(try Self.documents(in: "right").count >= 2)
    #expect(try Self.documents(in: "wrong-form").count >= 16)
    #expect(try Self.documents(in: "wrong-meaning").count >= 14)
  }

  /// Returns the mistakes that the checker finds, after comparing them with the expected ones.
  private func mistakes(in document: String) throws -> [Mistake] {
    let mistakes = Checker.mistakes(in: try Files.bytes("\(Self.folder)\(document).json"))
    let expected = try Files.text("\(Self.folder)\(document).txt").split(separator: "\n").map(String.init)
    #expect(mistakes.map(\.description) == expected)
    return mistakes
  }
}
