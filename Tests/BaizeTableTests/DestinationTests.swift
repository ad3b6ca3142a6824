import BaizeTable
import Testing

/// A destination names its collection, or the item that opens it, in one word.
@Suite struct DestinationTests {
  @Test func `a container is kept whatever its id, and names no collection that a table has`() {
    let ids: [UInt64] = [
      1, 2, 1 << 31 - 1, 1 << 31, 1 << 31 + 1, 1 << 51 + 7, ItemID.provisional(operation: .end, number: 3).rawValue,
      1 << 53 | 12, 1 << 62 - 1,
    ]
    for id in ids.map(ItemID.init(rawValue:)) {
      var destination = Destination(openedBy: id, position: .before(ItemID(rawValue: 4)), after: .start)
      #expect(destination.container == id && destination.collection.isProvisional)
      #expect(destination.position == .before(ItemID(rawValue: 4)) && destination.after == .start)
      destination.collection = CollectionHandle(rawValue: 3)
      #expect(destination.container == .none && destination.collection.rawValue == 3)
    }
    var destination = Destination(openedBy: ItemID(rawValue: .max), position: .end)
    #expect(destination.container != .none)
    destination.container = .none
    #expect(destination.collection == .none && destination == .end(of: .none))
  }
}
