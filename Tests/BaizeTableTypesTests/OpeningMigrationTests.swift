import BaizeTable
import BaizeTableTypes
import Foundation
import TestSupport
import Testing

/// M2, M3: tables whose items open collections move to other documents.
@Suite struct OpeningMigrationTests {
  private let document: EditedDocument
  private let state: TableState

  init() throws {
    var document = try EditedDocument("grid")
    let text = try Repository.text("Protocol/table-types/fixtures/right/openings.json")
    document.members = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    self.document = document
    var table = Table(type: try #require(document.document).defaultTableType, random: RandomSource(seed: 1))
    var memory = AuthorMemory()
    func item(_ name: String) -> NewItem { NewItem(attributes: [Attribute("title", name)]) }
    func submit(_ number: UInt64, _ kind: TableOperation.Kind) {
      let operation = TableOperation(
        sequence: SequenceNumber(rawValue: number), base: table.state.revision, epoch: Epoch(rawValue: 1), kind: kind)
      let author = Author(session: SessionID(rawValue: 1), seat: SeatNumber(rawValue: 1))
      guard case .accepted = table.judge(operation, by: author, memory: &memory) else {
        Issue.record("operation \(number) is not accepted")
        return
      }
    }
    let (first, second) = (CollectionHandle(rawValue: 3), CollectionHandle(rawValue: 4))
    submit(1, .insert([item("x"), item("gone"), item("y")], .end(of: first)))
    submit(2, .insert([item("a"), item("b")], .end(of: CollectionHandle(rawValue: 5))))
    submit(3, .remove([table.state.itemIDs(in: first)[1]]))
    // Now its collection has a lower handle than the one that it is in.
    submit(4, .insert([item("z")], .end(of: second)))
    submit(5, .move([table.state.itemIDs(in: first)[0]], to: .end(of: second)))
    state = table.state
  }

  private func obstacles(to edited: EditedDocument, hasSessions: Bool = true) throws -> [MigrationObstacle] {
    state.obstacles(to: try #require(edited.document).defaultTableType, hasSessions: hasSessions)
  }

  @Test func `I4: what items open stays theirs, under the same handles`() throws {
    let edited = document.with("title", "Another").with("seats", ["max": 9])
    #expect(try obstacles(to: edited) == [])
    var (old, new) = (state, try state.carried(to: try #require(edited.document).defaultTableType))
    #expect(new.brokenInvariant() == nil && new.handles == old.handles && new.viewHash() == old.viewHash())
    #expect(new.openedHandlesEnd == old.openedHandlesEnd)
    for handle in old.handles {
      #expect(new.items(in: handle, from: 0, limit: .max) == old.items(in: handle, from: 0, limit: .max))
    }
  }

  @Test func `I4: a new collection takes a handle only while nobody has operations on the way`() throws {
    var edited = document
    edited.kinds.append(["kind": "attic"])
    let handle = CollectionHandle(rawValue: 3)
    #expect(
      try obstacles(to: edited) == [.handle(handle, of: "the first collection that an item opened", names: "attic")])
    #expect(try obstacles(to: edited, hasSessions: false) == [])
    let new = try state.carried(to: try #require(edited.document).defaultTableType)
    #expect(new.brokenInvariant() == nil && new.rules(of: handle).id == "attic")
    for old in state.handles.dropFirst(2) {
      let moved = CollectionHandle(rawValue: old.rawValue + 1)
      #expect(new.itemIDs(in: moved) == state.itemIDs(in: old) && new.opener(of: moved) == state.opener(of: old))
    }
    #expect(new.openedHandlesEnd == state.openedHandlesEnd + 1)
  }

  @Test func `I4: a document whose items open something else does not fit`() throws {
    #expect(try obstacles(to: document.renaming(kind: "lane", to: "row")).contains(.opening("lanes", items: 2)))
    let none = document.with(kind: "lanes", "opens", nil).with("opened", nil).with(kind: "tray", "accept", nil)
    #expect(try obstacles(to: none).first == .opening("lanes", items: 2))
    let column = document.with(kind: "lanes", "opens", "column").with(
      "opened", (document.members["opened"] as? [Any])?.suffix(1).map { $0 })
    #expect(try obstacles(to: column).contains(.opening("lanes", items: 2)))
    let obstacle = MigrationObstacle.opening("lanes", items: 2)
    #expect(obstacle.description.contains("lanes") && !obstacle.description.hasSuffix("."))
  }
}
