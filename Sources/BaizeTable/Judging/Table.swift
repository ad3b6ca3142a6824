/// A table and what an operation does to it: rules, judging, rebase, diffs.
///
/// The same type is the authority in the daemon and the stand-in for it in a replica: a replica judges its own pending
/// operations with the code that the daemon will judge them with. Everything is a pure function of the state and the
/// input; chance comes from the ``RandomSource`` that the table was given.
public struct Table: Sendable {
  public internal(set) var state: TableState
  var history: History
  var undos: UndoWindow
  var random: RandomSource
  let role: Role
  /// Items on the table, what they take as ``TableState/contentBytes`` has it, and items in one operation, at most: what
  /// this authority was told. A replica leaves that to it.
  public var itemsMax = TableLimits.itemsPerTableMax
  public var contentBytesMax = Int.max
  public var itemsPerOperationMax = TableLimits.itemsPerOperationMax

  /// Whose word counts.
  public enum Role: Hashable, Sendable {
    /// The daemon's: it names what is made.
    case authority
    /// A client's: what is made has provisional names, and what cannot be known is not predicted.
    case replica
  }

  /// A table of `type`, set up and dealt.
  ///
  /// - Complexity: O(number of items).
  public init(type: TableType, random: RandomSource) {
    state = TableState(type: type)
    history = History(at: .zero)
    undos = UndoWindow(isKept: type.allowsUndo)
    self.random = random
    role = .authority
    setUp()
  }

  /// A replica that stands at `state`.
  public init(replicaOf state: TableState) {
    self.state = state
    history = History(at: state.revision, revisionsMax: 2 * TableLimits.historyRevisionsMax)
    undos = UndoWindow(isKept: state.type.allowsUndo)
    random = RandomSource(seed: 0)
    role = .replica
  }

  /// The authority of a table that stands at `state`, with nothing known of how it came there.
  public init(restoring state: TableState, random: RandomSource) {
    self.state = state
    history = History(at: state.revision)
    undos = UndoWindow(isKept: state.type.allowsUndo)
    self.random = random
    role = .authority
  }

  /// The oldest base that an operation may have.
  public var oldestBase: Revision { history.oldestBase }

  /// The hash of a view (see ``TableState/viewHash(for:)``).
  public mutating func viewHash(for viewer: SeatNumber? = nil) -> UInt64 { state.viewHash(for: viewer) }

  /// Seats who `seats` says, as one diff: the daemon's own, or one that answers an operation of the host's.
  public mutating func seat(
    _ seats: [Seat], author: SessionID = .daemon, sequence: SequenceNumber = .zero
  ) -> Diff {
    state.setSeats(seats)
    state.revision = state.revision.next
    trimHistory()
    return Diff(
      revision: state.revision, author: author, sequence: sequence, changes: [.seats(state.seats)])
  }

  /// Forgets what is older than the table's window.
  mutating func trimHistory() {
    history.trim(at: state.revision)
    undos.trim(to: history.oldestBase)
  }
}

/// Who asks.
public struct Author: Hashable, Sendable {
  public var session: SessionID
  public var seat: SeatNumber

  public init(session: SessionID, seat: SeatNumber) {
    self.session = session
    self.seat = seat
  }
}

extension Table {
  /// Makes, shuffles and deals the items of the table type. Ids are a random permutation, so that none tells a face.
  private mutating func setUp() {
    var decks = state.type.setUp.decks.map { deck in
      var items = deck.makeItems()
      if deck.isShuffled { random.shuffle(&items) }
      return items
    }
    let ids = mint(decks.reduce(0) { $0 + $1.count }, for: .zero)
    var used = 0
    for (number, deck) in state.type.setUp.decks.enumerated() {
      var slots: [Int: [Int32]] = [:]
      var rest = decks[number][...]
      for deal in deck.deals {
        let dealt = rest.prefix(deal.count ?? rest.count)
        rest = rest.dropFirst(dealt.count)
        let collection = deal.collection.index
        for (position, item) in dealt.enumerated() {
          let isUp = Self.isDealtUp(deal.up, position: position, of: dealt.count)
          let id = state.kind(of: collection).isPrivate ? mintUnordered(1)[0] : ids[used]
          slots[collection, default: []].append(create(item.face, id, isUp: isUp, in: collection))
          used += 1
        }
      }
      decks[number] = []
      for (collection, slots) in slots.sorted(by: { $0.key < $1.key }) { place(slots, in: collection) }
    }
  }

  private static func isDealtUp(_ up: Deck.Deal.Up, position: Int, of count: Int) -> Bool {
    switch up {
    case .all: true
    case .none: false
    case .last: position == count - 1
    }
  }

  private mutating func create(_ face: Face, _ id: ItemID, isUp: Bool, in collection: Int) -> Int32 {
    let record = ItemRecord(
      id: id, placed: .zero, placedBy: .daemon, isUp: state.kind(of: collection).faces.lies(isUp), isFaceKnown: true)
    return state.create(id, face: face, record: record)
  }

  /// Puts many new items at the end of a collection.
  private mutating func place(_ slots: [Int32], in collection: Int) {
    if state.root(collection) < 0 {
      for slot in slots { state.setCollection(slot, Int32(collection)) }
      state.collections[collection].root = state.forest.build(slots[...])
    } else {
      for slot in slots { state.put(slot, in: collection, before: -1) }
    }
  }
}

extension FaceRule {
  /// How an item lies in a collection with this rule that would lie `isUp` by itself.
  func lies(_ isUp: Bool) -> Bool {
    switch self {
    case .up, .owner: true
    case .down: false
    case .each: isUp
    }
  }
}
