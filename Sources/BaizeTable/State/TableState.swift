/// The contents of a table: the collections and their items, the status, the variables, the seats.
///
/// A pure value. The position of an item and the item at a position are found in O(log n) (see `OrderForest`). A copy
/// is cheap to make, and cheap to keep while the original changes (see `PagedArray`). In a replica the same type holds
/// what its viewer may see: a face that was not received is unknown.
public struct TableState: Sendable {
  /// The table type.
  public let type: TableType
  /// The revision that the table is at.
  public internal(set) var revision = Revision.zero
  /// The status: ``open`` until an ending of the table type gives another.
  public internal(set) var status = Self.open
  /// The values that rules read besides items, ascending by name.
  public internal(set) var variables: [Attribute]
  /// The taken seats, ascending by number.
  public internal(set) var seats: [Seat] = []

  /// The initial status of every table.
  public static let open = "open"

  /// The collections: first those of the table type, then those that items opened, gone ones included.
  var collections: [CollectionState]
  /// The traits of each collection, by index.
  var traits: [CollectionTraits]
  var forest = OrderForest()
  var faces = PagedArray<Face>()
  var index = ItemIndex()
  /// The items by their keys; `nil` if the type has no keys, and in a state that is no table's.
  var keys: KeyIndex?
  /// The aliases of items.
  var aliases = AliasIndex()
  var freeSlots: [Int32] = []
  /// The size of all faces in bytes, as ``Face/contentBytes`` measures it.
  var faceBytes = 0
  /// The number of attributes and representations of all faces.
  var faceParts = 0
  /// The memory of all faces that were replaced or removed since the table was made, in bytes.
  var replacedFaceMemory = 0
  /// The sum of the hashes of all items, each of the parts that everyone may see (see ``ViewHash``).
  var faceSum: UInt64 = 0
  /// For each seat, the share of the sum from the faces that only it may see. Empty if the type has no secrets.
  var ownerSums: [UInt64]
  /// The number of collections that items open.
  public internal(set) var openedCount = 0
  /// The lowest id that was never given to an item.
  package var nextID: UInt64 = 1
  /// Higher than the number of any history record that an item refers to.
  var nextTakeOut = 0
  /// The predicted steps, latest last, so that they can be rolled back; `nil` if nothing is predicted.
  var predictionLog: [PredictionStep]?

  /// Creates an empty table of `type`.
  public init(type: TableType) {
    self.type = type
    variables = type.variables
    collections = type.collections.map { _ in CollectionState() }
    traits = type.traits
    ownerSums = type.hasSecrets ? Array(repeating: 0, count: type.ownersCount) : []
  }
}

/// The state of one collection besides its items.
struct CollectionState: Sendable, BitwiseCopyable {
  /// The root of its order in the forest.
  var root: Int32 = -1
  /// The slot of the item that opens it; −1 for a collection of the table type, and for one that is gone.
  var opener: Int32 = -1
  var isEnabled = true
  /// The chain of vacant positions behind its last item (see `History+Chains.swift`).
  var chain = ChainLink.none
  /// The number of items here that the viewer may not see: in a replica, in another seat's private collection.
  var hiddenCount: Int {
    get { Int(storedHiddenCount) }
    set { storedHiddenCount = UInt32(clamping: newValue) }
  }

  private var storedHiddenCount: UInt32 = 0

  init(opener: Int32 = -1) { self.opener = opener }
}

/// The state of an item besides its face and its position: 64 bytes, since among many items each access is a cache miss.
struct ItemRecord: Sendable, BitwiseCopyable {
  var id: ItemID
  /// The revision that put the item where it is.
  var placed: Revision
  /// The session that put the item where it is.
  var placedBy: SessionID
  /// The number of the item's latest record in the ``History``; ``History/none`` if it was never taken out.
  var lastTakeOut = History.none
  /// The index of the collection that it is in; −1 while it is in none.
  var collection: Int32 = -1
  /// Its leaf in the ``OrderForest``; −1 while it is in no tree.
  var leaf: Int32 = -1
  /// The hash of its id, flags and face for viewers that may see the face; 0 if it must be computed.
  var faceHash: UInt64 = 0
  var isFaceUp: Bool
  /// Always true in the daemon; in a replica only where the face was received.
  var isFaceKnown: Bool
  var isPinned = false
  /// The index of the collection that it opens; −1 for none.
  var opens: Int32 = -1
  /// The item that it is an alias of; none for an item of its own.
  var aliasOf = ItemID.none
  /// The run of its position (N4).
  var run = Run.none
  /// The chain of vacant positions directly in front of it (see `History+Chains.swift`).
  var chain = ChainLink.none

  init(
    id: ItemID, placed: Revision, placedBy: SessionID, lastTakeOut: Int = History.none, isFaceUp: Bool,
    isFaceKnown: Bool, isPinned: Bool = false, aliasOf: ItemID = .none
  ) {
    self.aliasOf = aliasOf
    (self.id, self.placed, self.placedBy, self.lastTakeOut) = (id, placed, placedBy, lastTakeOut)
    (self.isFaceUp, self.isFaceKnown, self.isPinned) = (isFaceUp, isFaceKnown, isPinned)
  }
}

extension TableState {
  // MARK: Reading

  /// The number of items on the table.
  public var itemCount: Int { index.count }

  /// The size of the table's contents in bytes: approximately their use of memory, each face as ``TableType/faceBytes`` if the type
  /// has that.
  ///
  /// - Complexity: O(1).
  public var contentBytes: Int {
    let faces = Mutation.content.isActive ? faceBytes : type.faceBytes.map { itemCount * $0 } ?? faceBytes
    return itemCount * TableLimits.itemContentBytes + faces + aliases.count * TableLimits.aliasContentBytes
      + (collections.count - type.collections.count) * TableLimits.collectionContentBytes
  }

  /// The approximate memory of the contents, in bytes, with the slots of items that have left.
  ///
  /// - Complexity: O(1).
  package var memoryBytes: Int {
    max(forest.records.count, itemCount) * TableLimits.itemContentBytes
      + Face.memoryBytes(contentBytes: faceBytes, parts: faceParts)
      + (keys?.memoryBytes ?? 0) + aliases.count * TableLimits.aliasContentBytes
      + (collections.count - type.collections.count) * TableLimits.collectionContentBytes
  }

  /// The memory of the pages that changes have copied because an earlier copy of the state shared them, and of the faces that
  /// were replaced or removed, in bytes, since the table was made. What it grows by after a copy of the state was made is at
  /// least the memory that only the copy keeps.
  ///
  /// - Complexity: O(1).
  package var changedBytes: Int {
    forest.copiedBytes + faces.copiedBytes + replacedFaceMemory
  }

  /// The approximate memory of the lists that a copy of the state has for itself as soon as the state changes, in bytes.
  ///
  /// - Complexity: O(1).
  package var listBytes: Int {
    itemCount * TableLimits.listBytesPerItem
      + (collections.count - type.collections.count) * TableLimits.collectionContentBytes
  }

  /// Returns the number of items in a collection; 0 for an unknown collection.
  public func count(in collection: CollectionHandle) -> Int {
    let index = index(of: collection)
    return index < 0 ? 0 : count(index)
  }

  func count(_ collection: Int) -> Int {
    forest.count(collections[collection].root) + collections[collection].hiddenCount
  }

  /// Returns whether the table has this collection.
  public func isKnown(_ collection: CollectionHandle) -> Bool { index(of: collection) >= 0 }

  /// Returns whether a collection is enabled; `false` for an unknown collection.
  public func isEnabled(_ collection: CollectionHandle) -> Bool {
    let index = index(of: collection)
    return index >= 0 && collections[index].isEnabled
  }

  /// Returns the name of a collection, its kind and what else the table type says of it.
  ///
  /// - Precondition: The table has the collection.
  public func rules(of collection: CollectionHandle) -> CollectionRules {
    let index = index(of: collection)
    guard collections[index].opener >= 0 else { return type.collections[index] }
    return CollectionRules(
      id: "\(kind(of: index).name)/\(collection.rawValue)", kind: Int(traits[index].kind),
      attributes: attributes(of: index))
  }

  /// Returns the rules that a collection shares with others of its kind.
  ///
  /// - Precondition: The table has the collection.
  public func kind(of collection: CollectionHandle) -> CollectionKind { kind(of: index(of: collection)) }

  /// Returns the handle of the collection with a name; `nil` if there is none.
  ///
  /// - Complexity: O(number of collections).
  public func handle(of name: String) -> CollectionHandle? {
    handles.first { rules(of: $0).id.hasBytes(of: name) }
  }

  /// Returns the item that opens a collection; ``ItemID/none`` for a collection of the table type, and an unknown one.
  public func opener(of collection: CollectionHandle) -> ItemID {
    let index = index(of: collection)
    return index < 0 ? .none : id(collections[index].opener)
  }

  /// Returns the collection that an item opens; `nil` if it opens none, or is not on the table.
  public func collectionOpened(by item: ItemID) -> CollectionHandle? {
    let slot = index.slot(of: item)
    return slot < 0 || opens(slot) < 0 ? nil : handle(opens(slot))
  }

  /// All collection handles, in order.
  public var handles: [CollectionHandle] {
    guard type.opensCollections else { return collections.indices.map(CollectionHandle.init(index:)) }
    return collections.indices.filter { !isGone($0) }.map(handle)
  }

  /// Returns whether an item is on the table, as far as this viewer may see.
  public func contains(_ item: ItemID) -> Bool { index.slot(of: item) >= 0 }

  /// Returns the collection that an item is in; `nil` for an unknown item.
  public func collection(of item: ItemID) -> CollectionHandle? {
    let slot = index.slot(of: item)
    return slot < 0 ? nil : handle(collection(slot))
  }

  /// Returns the session that last placed an item; the daemon for an unknown item, and for one that a snapshot contained.
  package func lastPlacer(of item: ItemID) -> SessionID {
    let slot = index.slot(of: item)
    return slot < 0 ? .daemon : forest.records[slot].placedBy
  }

  /// Returns the revision that put an item where it is; `nil` for an unknown item.
  package func placed(_ item: ItemID) -> Revision? {
    let slot = index.slot(of: item)
    return slot < 0 ? nil : forest.records[slot].placed
  }

  /// Returns the number of items before `item` in its collection; `nil` for an unknown item.
  ///
  /// - Complexity: O(log n).
  public func offset(of item: ItemID) -> Int? {
    let slot = index.slot(of: item)
    return slot < 0 ? nil : forest.index(of: slot)
  }

  /// Returns the item with `offset` items before it; `nil` if there is none.
  ///
  /// - Complexity: O(log n).
  public func item(at offset: Int, in collection: CollectionHandle) -> ItemID? {
    guard offset >= 0, offset < visibleCount(in: collection) else { return nil }
    return forest.records[forest.slot(at: offset, in: root(index(of: collection)))].id
  }

  /// Returns the first item of a collection; `nil` if there is none.
  ///
  /// - Complexity: O(log n).
  public func firstItem(in collection: CollectionHandle) -> ItemID? { item(at: 0, in: collection) }

  /// Returns the last item of a collection; `nil` if there is none.
  ///
  /// - Complexity: O(log n).
  public func lastItem(in collection: CollectionHandle) -> ItemID? {
    item(at: visibleCount(in: collection) - 1, in: collection)
  }

  /// Returns the item behind `item` in its collection; `nil` if there is none.
  ///
  /// - Complexity: O(log n).
  public func item(after item: ItemID) -> ItemID? {
    let slot = index.slot(of: item)
    guard slot >= 0 else { return nil }
    let next = forest.next(slot)
    return next < 0 ? nil : forest.records[next].id
  }

  /// Returns the item in front of a gap that is none of `sources`; unspecified if the gap is not visible.
  ///
  /// - Complexity: O(log n), and O(k) for k sources.
  package func predecessor(of gap: Destination, excluding sources: Set<ItemID>) -> Predecessor {
    let anchor = index.slot(of: gap.position.anchor)
    let collection = index(of: gap)
    guard collection >= 0, gap.position == .end || (anchor >= 0 && self.collection(anchor) == collection)
    else { return .unspecified }
    var slot = anchor < 0 ? forest.last(in: root(collection)) : forest.previous(anchor)
    while slot >= 0, sources.contains(id(slot)) { slot = forest.previous(slot) }
    return slot < 0 ? .start : .item(id(slot))
  }

  /// Returns the ids of a collection's items, in order.
  ///
  /// - Complexity: O(n).
  public func itemIDs(in collection: CollectionHandle) -> [ItemID] {
    let index = index(of: collection)
    guard index >= 0 else { return [] }
    var ids: [ItemID] = []
    ids.reserveCapacity(visibleCount(in: collection))
    var slot = forest.first(in: root(index))
    while slot >= 0 {
      ids.append(forest.records[slot].id)
      slot = forest.next(slot)
    }
    return ids
  }

  /// Returns at most `limit` items of a collection from `offset` on, in order.
  ///
  /// - Complexity: O(log n + limit).
  public func items(in collection: CollectionHandle, from offset: Int, limit: Int) -> [Item] {
    let count = visibleCount(in: collection)
    guard offset >= 0, offset < count, limit > 0 else { return [] }
    var items: [Item] = []
    items.reserveCapacity(min(limit, count - offset))
    var slot = forest.slot(at: offset, in: root(index(of: collection)))
    while slot >= 0, items.count < limit {
      items.append(item(slot))
      slot = forest.next(slot)
    }
    return items
  }

  /// Returns an item with its face and the viewers that may see it; `nil` for an unknown item.
  public func item(_ id: ItemID) -> Item? {
    let slot = index.slot(of: id)
    return slot < 0 ? nil : item(slot)
  }

  /// Returns the face of an item; `nil` if it is not known here.
  public func face(of id: ItemID) -> Face? {
    let slot = index.slot(of: id)
    return slot >= 0 && forest.records[slot].isFaceKnown ? faces[slot] : nil
  }

  /// Returns the item with a key; `nil` if there is none, or if the table type has no keys.
  ///
  /// - Complexity: O(1) expected.
  public func item(forKey key: AttributeValue) -> ItemID? {
    guard let slot = keys?.slot(of: key, in: faces), slot >= 0 else { return nil }
    return forest.records[slot].id
  }

  /// Returns whether an item is face up; `false` for an unknown item.
  public func isFaceUp(_ id: ItemID) -> Bool {
    let slot = index.slot(of: id)
    return slot >= 0 && forest.records[slot].isFaceUp
  }

  /// Returns whether an item is pinned; `false` for an unknown item.
  public func isPinned(_ id: ItemID) -> Bool {
    let slot = index.slot(of: id)
    return slot >= 0 && forest.records[slot].isPinned
  }

  /// Returns a variable's value; `nil` if it has none.
  public func variable(_ name: String) -> AttributeValue? {
    for variable in variables where variable.name.hasBytes(of: name) { return variable.value }
    return nil
  }

  // MARK: By slot

  func item(_ slot: Int32) -> Item {
    let record = forest.records[slot]
    return Item(
      id: record.id, collection: handle(Int(record.collection)), face: faces[slot],
      visibility: visibility(of: slot), isPinned: record.isPinned,
      opens: record.opens < 0 ? .none : handle(Int(record.opens)), aliasOf: record.aliasOf)
  }

  @inline(__always) func id(_ slot: Int32) -> ItemID { slot < 0 ? .none : forest.records.address(of: slot).pointee.id }

  @inline(__always) func collection(_ slot: Int32) -> Int { Int(forest.records.address(of: slot).pointee.collection) }

  func kind(of collection: Int) -> CollectionKind { type.kinds[Int(traits[collection].kind)] }

  @inline(__always) func traits(of collection: Int) -> CollectionTraits { traits[collection] }

  func owner(of collection: Int) -> SeatNumber { traits[collection].owner }

  /// Returns the attributes of a collection that rules may read.
  func attributes(of collection: Int) -> [Attribute] {
    if collection < type.collections.count { return type.collections[collection].attributes }
    let opener = collections[collection].opener
    return opener < 0 ? [] : faces[opener].attributes
  }

  func root(_ collection: Int) -> Int32 { collections[collection].root }

  private func visibleCount(in collection: CollectionHandle) -> Int {
    let index = index(of: collection)
    return index < 0 ? 0 : forest.count(root(index))
  }
}

extension TableState {
  /// Returns a copy to read from while the original changes. It omits what only changes need, so that later changes
  /// copy the pages that they touch and no large buffer.
  public func frozen() -> TableState {
    var copy = self
    copy.index = ItemIndex()
    copy.keys = keys?.emptied()
    copy.aliases = AliasIndex()
    copy.freeSlots = []
    copy.predictionLog = nil
    return copy
  }
}
