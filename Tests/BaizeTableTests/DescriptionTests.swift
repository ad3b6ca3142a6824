import BaizeTable
import Testing

/// What an app prints reads like a sentence, and text from others cannot control a terminal.
@Suite struct DescriptionTests {
  private let todo = CollectionHandle(rawValue: 1)
  private let doing = CollectionHandle(rawValue: 2)

  @Test func `ids`() {
    #expect("\(ItemID(rawValue: 12))" == "item 12")
    #expect("\(ItemID.none)" == "no item")
    #expect("\(ItemID.provisional(operation: SequenceNumber(rawValue: 3), number: 1))" == "new item 2 of operation 3")
    #expect("\(doing), \(SeatNumber(rawValue: 1)), \(SeatNumber.spectator)" == "collection 2, seat 1, a spectator")
    #expect("\(SessionID(rawValue: 4)), \(SessionID.daemon)" == "session 4, the daemon")
  }

  @Test func `items`() {
    let face = Face(
      attributes: [Attribute("points", 3), Attribute("title", "a\u{1B}[2J")],
      representations: [Representation(contentType: "text/plain", data: [1, 2])])
    #expect(
      "\(Item(id: ItemID(rawValue: 4), collection: todo, face: face))"
        == #"item 4 in collection 1: points 3, title 'a\u{1b}[2J', 2 bytes of text/plain"#)
    #expect(
      "\(Item(id: ItemID(rawValue: 4), collection: todo, visibility: .nobody, isPinned: true))"
        == "item 4 in collection 1, pinned: hidden")
  }

  @Test func `diffs`() {
    let items = ItemList((1...3).map { ItemID(rawValue: $0) })
    var diff = Diff(
      revision: Revision(rawValue: 12), author: SessionID(rawValue: 2), sequence: SequenceNumber(rawValue: 1),
      changes: [.moved(items, .end(of: doing)), .removed(.one(ItemID(rawValue: 9)))], isRebased: true)
    #expect(
      "\(diff)"
        == "revision 12 by session 2, rebased: items 1, 2 and 3 moved to the end of collection 2; item 9 removed")
    diff.changes = .none
    #expect("\(diff)" == "revision 12 by session 2, rebased: no visible change")
    let many = ReorderDifference(
      sources: (1...20).map { ItemID(rawValue: $0) }, destination: .before(ItemID(rawValue: 30), in: todo))
    #expect("\(many)" == "items 1, 2, 3, 4, 5, 6, 7, 8 and 12 more before item 30 in collection 1")
  }

  @Test func `refusals`() {
    #expect("\(Refusal(.forbidden))" == "FORBIDDEN")
    #expect(
      "\(Refusal(.capacityExceeded, rule: "collections[1].accept", detail: "Only 3.\u{7}"))"
        == #"CAPACITY_EXCEEDED: Only 3.\u{7} (collections[1].accept)"#)
    #expect("\(Refusal(Reason(rawValue: "\u{1B}c")))" == #"\u{1b}c"#)
  }
}
