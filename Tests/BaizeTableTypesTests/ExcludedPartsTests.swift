import BaizeTable
import BaizeTableTypes
import Foundation
import TestSupport
import Testing

/// Kinds and decks are part of a table type only with the options that they name, and options have values for older tables.
@Suite struct ExcludedPartsTests {
  private static let fixtures = "Protocol/table-types/fixtures/"

  private func document() throws -> TableTypeDocument {
    try TableTypeDocument(parsing: try Repository.text(Self.fixtures + "right/if.json"))
  }

  @Test func `only the kinds and decks that the options include are part of the type`() throws {
    let made = try document().defaultTableType
    #expect(made.collections.map(\.id) == ["columns", "doing", "bin"])
    #expect(made.kinds.map(\.name) == ["columns", "doing", "bin", "column"])
    #expect(made.kinds[0].opens == Opening(3) && made.setUp.itemCount == 7)
    #expect(made.actions[0].cases.count == 1 && made.timeLimits.turn?.attempts.count == 1)

    let fixed = try document().makeTableType(options: "columns=fixed&bin=false")
    #expect(fixed.collections.map(\.id) == ["todo", "done/1", "done/2", "doing", "soon", "later"])
    #expect(!fixed.opensCollections && fixed.setUp.itemCount == 3)
    #expect(fixed.actions[0].cases.count == 2 && fixed.timeLimits.turn?.attempts.count == 2)
    #expect(fixed.kinds[0].accept.path == "collections[0].accept" && fixed.kinds[0].accept.each.count == 1)
  }

  @Test func `a set-up deals to what its items open, and options are values of attributes`() throws {
    var table = Table(type: try document().makeTableType(options: "limit=7"), random: RandomSource(seed: 4))
    let columns = table.state.itemIDs(in: CollectionHandle(rawValue: 1)).map { table.state.item($0) }
    #expect(columns.map { $0?.opens.rawValue } == [4, 5])
    #expect(columns[1]?.face["limit"] == .number(7) && columns[1]?.face["how"] == .text("made"))
    let numbers = [4, 5].map { handle in
      table.state.itemIDs(in: CollectionHandle(rawValue: handle)).map { table.state.item($0)?.face["number"] }
    }
    #expect(numbers == [[.number(3), .number(4), .number(5)], [.number(1), .number(2)]])
    #expect(table.state.brokenInvariant() == nil && table.viewHash() != 0)
  }

  @Test func `options have values for tables that do not have them (J3, M3)`() throws {
    let document = try document()
    #expect(document.options.map(\.olderValue) == [.text("fixed"), .number(9), .text("false")])
    var before = try EditedDocument("grid")
    before.members = try #require(try JSONSerialization.jsonObject(with: Data(document.text.utf8)) as? [String: Any])
    before.members["options"] = ["limit": ["type": "integer", "min": 1, "max": 9, "default": 3]]
    before.members["actions"] = nil
    before.members["checks"] = nil
    before.members["clock"] = nil
    before.members["opened"] = nil
    before.members["setUp"] = nil
    before.members["collections"] = ["todo", "done", "doing"].map { ["kind": $0] }
    let old = try #require(before.document)
    let present = document.presentType(for: try old.makeTableType(options: "limit=4"), named: "if?limit=4")
    #expect(present.obstacles == [] && present.text == "if?bin=false&columns=fixed&limit=4")
    #expect(present.type.options == [Attribute("bin", "false"), Attribute("columns", "fixed"), Attribute("limit", 4)])
    #expect(document.presentType(for: present.type, named: "if?columns=made").obstacles == [])

    let types = TableTypeCache(TableTypeLibrary().adding(document))
    for type in [try old.makeTableType(options: "limit=4"), present.type] {
      for (name, isType) in [
        ("if?limit=4", true), ("if?columns=fixed&limit=4", true), ("if?limit=4&bin=false", true), ("if", false),
        ("if?limit=4&columns=made", false), ("if?limit=4&bin=true", false), ("if?limit=3", false),
      ] { #expect(try types.isType(type, named: name) == isType, "\(name)") }
    }
    let new = document.defaultTableType
    #expect(try types.isType(new, named: "if") && types.isType(new, named: "if?columns=made"))
    #expect(try !types.isType(new, named: "if?columns=fixed") && !types.isType(new, named: "if?bin=false"))
    #expect(throws: TableTypeFailure.self) { try types.isType(new, named: "if?columns=none") }
  }
}
