/// What lies on a table: the collections and their items, the status, the variables, the seats.
///
/// A pure value. Place of an item and item at a place are O(log n) (see ``OrderForest``), and a copy is cheap to make and
/// cheap to keep beside a state that goes on (see ``PagedArray``). In a replica the same type holds what its viewer sees:
/// a face that did not come is not known.
public struct TableState: Sendable {
  public let type: TableType
  public internal(set) var revision = Revision.zero
  /// `open` until an ending of the table type says otherwise.
  public internal(set) var status = Self.open
  /// What rules read besides items, ascending by name.
  public internal(set) var variables: [Attribute]
  /// The taken seats, ascending by number.
  public internal(set) var seats: [Seat] = []

  /// The first status of every table.
  public static let open = "open"

  var collections: [CollectionOrder]
  var forest = OrderForest()
  var records = PagedArray<ItemRecord>()
  var faces = PagedArray<Face>()
  var index = ItemIndex()
  var freeSlots: [Int32] = []
  /// What the viewer sees of all items, summed (see ``ViewHash``).
  var faceSum: UInt64 = 0
  /// The lowest id that was never given to an item.
  package var nextID: UInt64 = 1
  /// How to take back what was done since recording began; `nil` where nobody will ask.
  var undoLog: [UndoStep]?

  /// A table of `type` with nothing on it.
  public init(type: TableType) {
    self.type = type
    variables = type.variables
    collections = type.collections.map { _ in CollectionOrder() }
  }
}

/// Where a collection's order is kept.
struct CollectionOrder: Sendable {
  /// The root in the forest.
  var root: Int32 = -1
  var isEnabled = true
}

/// What is known of an item besides its face and its place.
struct ItemRecord: Sendable {
  var id: ItemID
  /// The revision that put it where it lies, and who did.
  var placed: Revision
  var placedBy: SessionID
  /// The index of the collection that it is in; −1 while it is in none.
  var collection: Int32 = -1
  var isUp: Bool
  /// Always, in the daemon; in a replica only where the face came.
  var isFaceKnown: Bool
  var isPinned = false
}

extension TableState {
  // MARK: Reading

  /// How many items are on the table.
  public var itemCount: Int { index.count }

  /// The number of items in a collection; 0 where there is no such collection.
  public func count(in collection: CollectionHandle) -> Int {
    isKnown(collection) ? forest.count(collections[collection.index].root) : 0
  }

  /// Whether the table type has this collection.
  public func isKnown(_ collection: CollectionHandle) -> Bool { collections.indices.contains(collection.index) }

  public func isEnabled(_ collection: CollectionHandle) -> Bool {
    isKnown(collection) && collections[collection.index].isEnabled
  }

  /// All handles, in order.
  public var handles: [CollectionHandle] { collections.indices.map(CollectionHandle.init(index:)) }

  public func contains(_ item: ItemID) -> Bool { index.slot(of: item) >= 0 }

  /// The collection that an item is in.
  public func collection(of item: ItemID) -> CollectionHandle? {
    let slot = index.slot(of: item)
    return slot < 0 ? nil : CollectionHandle(index: Int(records[slot].collection))
  }

  /// How many items stand before `item` in its collection.
  ///
  /// - Complexity: O(log n).
  public func offset(of item: ItemID) -> Int? {
    let slot = index.slot(of: item)
    return slot < 0 ? nil : forest.index(of: slot)
  }

  /// The item with `offset` items before it.
  ///
  /// - Complexity: O(log n).
  public func item(at offset: Int, in collection: CollectionHandle) -> ItemID? {
    guard offset >= 0, offset < count(in: collection) else { return nil }
    return records[forest.slot(at: offset, in: collections[collection.index].root)].id
  }

  public func firstItem(in collection: CollectionHandle) -> ItemID? { item(at: 0, in: collection) }

  public func lastItem(in collection: CollectionHandle) -> ItemID? {
    item(at: count(in: collection) - 1, in: collection)
  }

  /// The item that follows `item` in its collection.
  ///
  /// - Complexity: O(log n).
  public func item(after item: ItemID) -> ItemID? {
    let slot = index.slot(of: item)
    guard slot >= 0 else { return nil }
    let next = forest.next(slot)
    return next < 0 ? nil : records[next].id
  }

  /// The ids of a collection, in order.
  ///
  /// - Complexity: O(n).
  public func itemIDs(in collection: CollectionHandle) -> [ItemID] {
    guard isKnown(collection) else { return [] }
    var ids: [ItemID] = []
    ids.reserveCapacity(count(in: collection))
    var slot = forest.first(in: collections[collection.index].root)
    while slot >= 0 {
      ids.append(records[slot].id)
      slot = forest.next(slot)
    }
    return ids
  }

  /// At most `limit` items of a collection from `offset` on, in order.
  ///
  /// - Complexity: O(log n + limit).
  public func items(in collection: CollectionHandle, from offset: Int, limit: Int) -> [Item] {
    let count = count(in: collection)
    guard offset >= 0, offset < count, limit > 0 else { return [] }
    var items: [Item] = []
    items.reserveCapacity(min(limit, count - offset))
    var slot = forest.slot(at: offset, in: collections[collection.index].root)
    while slot >= 0, items.count < limit {
      items.append(item(slot))
      slot = forest.next(slot)
    }
    return items
  }

  /// An item with its face, and who may see it.
  public func item(_ id: ItemID) -> Item? {
    let slot = index.slot(of: id)
    return slot < 0 ? nil : item(slot)
  }

  /// The face of an item, where it is known here.
  public func face(of id: ItemID) -> Face? {
    let slot = index.slot(of: id)
    return slot >= 0 && records[slot].isFaceKnown ? faces[slot] : nil
  }

  /// Whether an item lies face up.
  public func isFaceUp(_ id: ItemID) -> Bool {
    let slot = index.slot(of: id)
    return slot >= 0 && records[slot].isUp
  }

  public func isPinned(_ id: ItemID) -> Bool {
    let slot = index.slot(of: id)
    return slot >= 0 && records[slot].isPinned
  }

  /// A variable's value.
  public func variable(_ name: String) -> AttributeValue? {
    for variable in variables where variable.name == name { return variable.value }
    return nil
  }

  // MARK: By slot

  func item(_ slot: Int32) -> Item {
    let record = records[slot]
    return Item(
      id: record.id, collection: CollectionHandle(index: Int(record.collection)), face: faces[slot],
      sight: sight(of: slot), isPinned: record.isPinned)
  }

  func sight(of slot: Int32) -> Sight { records[slot].isUp && records[slot].isFaceKnown ? .everyone : .nobody }

  /// Whether rules may tell `seat` what is on the item.
  func canSee(_ slot: Int32, from seat: SeatNumber) -> Bool { sight(of: slot).includes(seat) }

  func id(_ slot: Int32) -> ItemID { slot < 0 ? .none : records[slot].id }

  func kind(of collection: Int) -> CollectionKind { type.kinds[type.collections[collection].kind] }

  func root(_ collection: Int) -> Int32 { collections[collection].root }
}

extension TableState {
  /// The hash of the view, by which a replica finds out that it has diverged.
  ///
  /// - Complexity: O(number of collections + c log n) for c changes since it was last asked.
  public mutating func viewHash() -> UInt64 {
    var hash = ByteHash()
    for position in collections.indices {
      let root = collections[position].root
      let order = forest.hash(root) { [records] in records[$0].id }
      hash.combine(collections[position].isEnabled ? 1 as UInt8 : 0)
      hash.combine(UInt64(forest.count(root)))
      hash.combine(order)
    }
    hash.combine(faceSum)
    hash.combine(status)
    hash.combine(UInt64(variables.count))
    for variable in variables { hash.combine(variable) }
    hash.combine(UInt64(seats.count))
    for seat in seats {
      hash.combine(UInt64(seat.number.rawValue))
      hash.combine(seat.session.rawValue)
      hash.combine(seat.name)
    }
    return hash.value
  }

  /// What an item adds to the sum: its id, how it lies, and its face where it is seen.
  func faceHash(_ slot: Int32) -> UInt64 {
    let isSeen = sight(of: slot) == .everyone
    var hash = ByteHash()
    hash.combine(records[slot].id.rawValue)
    hash.combine((isSeen ? 1 : 0) | (records[slot].isPinned ? 2 : 0) as UInt8)
    guard isSeen else { return hash.value }
    let face = faces[slot]
    hash.combine(UInt64(face.attributes.count))
    for attribute in face.attributes { hash.combine(attribute) }
    hash.combine(UInt64(face.representations.count))
    for representation in face.representations {
      hash.combine(representation.contentType)
      hash.combine(representation.data)
    }
    return hash.value
  }
}

extension TableState {
  /// A copy to read from while the state goes on: without what only a changing state needs, so that no large buffer but
  /// the pages that change is copied later.
  public func frozen() -> TableState {
    var copy = self
    copy.index = ItemIndex()
    copy.freeSlots = []
    copy.undoLog = nil
    return copy
  }
}
