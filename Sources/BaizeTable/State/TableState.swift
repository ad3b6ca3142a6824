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
  /// What all faces take, as ``Face/contentBytes`` has it.
  var faceBytes = 0
  /// What everyone sees of all items, summed (see ``ViewHash``).
  var faceSum: UInt64 = 0
  /// By seat, what it sees besides: what comes to the sum for it. Empty where no one sees more than others.
  var ownSums: [UInt64]
  /// The lowest id that was never given to an item.
  package var nextID: UInt64 = 1
  /// How to take back what was done since recording began; `nil` where nobody will ask.
  var undoLog: [UndoStep]?

  /// A table of `type` with nothing on it.
  public init(type: TableType) {
    self.type = type
    variables = type.variables
    collections = type.collections.map { _ in CollectionOrder() }
    ownSums = type.hasSecrets ? Array(repeating: 0, count: type.ownersCount) : []
  }
}

/// Where a collection's order is kept.
struct CollectionOrder: Sendable {
  /// The root in the forest.
  var root: Int32 = -1
  var isEnabled = true
  /// How many items lie here that the viewer is not told of: in a replica, where the collection is another's.
  var untoldCount = 0
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

  /// What lies on the table, in bytes: a measure, about what it takes in memory.
  ///
  /// - Complexity: O(1).
  public var contentBytes: Int { itemCount * TableLimits.itemContentBytes + faceBytes }

  /// The number of items in a collection; 0 where there is no such collection.
  public func count(in collection: CollectionHandle) -> Int {
    isKnown(collection) ? count(collection.index) : 0
  }

  func count(_ collection: Int) -> Int {
    forest.count(collections[collection].root) + collections[collection].untoldCount
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
    guard offset >= 0, offset < toldCount(in: collection) else { return nil }
    return records[forest.slot(at: offset, in: collections[collection.index].root)].id
  }

  public func firstItem(in collection: CollectionHandle) -> ItemID? { item(at: 0, in: collection) }

  public func lastItem(in collection: CollectionHandle) -> ItemID? {
    item(at: toldCount(in: collection) - 1, in: collection)
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
    ids.reserveCapacity(toldCount(in: collection))
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
    let count = toldCount(in: collection)
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

  func sight(of slot: Int32) -> Sight {
    records[slot].isFaceKnown ? sight(in: Int(records[slot].collection), isUp: records[slot].isUp) : .nobody
  }

  /// Who sees an item that lies so in a collection; −1 for none.
  func sight(in collection: Int, isUp: Bool) -> Sight {
    guard isUp else { return .nobody }
    guard type.hasSecrets, collection >= 0, kind(of: collection).isSecret else { return .everyone }
    let owner = type.collections[collection].owner
    return owner == .spectator ? .nobody : .seat(owner)
  }

  /// Whether `viewer` is told which items lie in a collection, and in which order.
  func isOpen(_ collection: Int, to viewer: SeatNumber) -> Bool {
    guard type.hasSecrets, collection >= 0, kind(of: collection).isPrivate else { return true }
    let owner = type.collections[collection].owner
    return owner != .spectator && owner == viewer
  }

  /// The slot of an item, or −1 where there is none that `viewer` is told of: then all is as if there were none.
  func slot(of item: ItemID, for viewer: SeatNumber) -> Int32 {
    let slot = index.slot(of: item)
    guard slot >= 0, type.hasSecrets, !isOpen(Int(records[slot].collection), to: viewer) else { return slot }
    return -1
  }

  /// Whether `viewer` is told that the item is there at all.
  package func isTold(_ item: ItemID, to viewer: SeatNumber) -> Bool { slot(of: item, for: viewer) >= 0 }

  /// Whether `viewer` is told which items lie in a collection, and in which order; all are told how many.
  package func isOpen(_ collection: CollectionHandle, to viewer: SeatNumber) -> Bool {
    isKnown(collection) && isOpen(collection.index, to: viewer)
  }

  /// How many items lie in a collection that this replica's viewer is not told of.
  package func untoldCount(in collection: CollectionHandle) -> Int {
    isKnown(collection) ? collections[collection.index].untoldCount : 0
  }

  private func toldCount(in collection: CollectionHandle) -> Int {
    isKnown(collection) ? forest.count(collections[collection.index].root) : 0
  }

  /// Whether rules may tell `seat` what is on the item.
  func canSee(_ slot: Int32, from seat: SeatNumber) -> Bool { sight(of: slot).includes(seat) }

  func id(_ slot: Int32) -> ItemID { slot < 0 ? .none : records[slot].id }

  func kind(of collection: Int) -> CollectionKind { type.kinds[type.collections[collection].kind] }

  func root(_ collection: Int) -> Int32 { collections[collection].root }
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
