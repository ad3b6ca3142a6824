/// Everything that one accepted operation changed, consequences included. It raises the table's revision by one.
public struct Diff: Hashable, Sendable {
  /// The revision that the diff leads to.
  public var revision: Revision
  public var author: SessionID
  /// The author's operation; zero where nobody asked.
  public var sequence: SequenceNumber
  /// In the order in which they are applied.
  public var changes: InlineList<Change>
  /// Who is told each of the changes, in their order; empty where everyone is told all of them.
  package private(set) var audiences = InlineList<Audience>()
  /// What the drop did; `.cancel` for what is no drop.
  public var operation: DropOperation
  /// The destination was carried forward over diffs that the author had not seen.
  public var isRebased: Bool
  /// The rules chose another destination than the one asked for.
  public var isRedirected: Bool
  /// The new id of each item that the operation asked to make, in order; ``ItemID/none`` for one not accepted.
  /// For the author only.
  public var minted: ItemList

  @inline(__always) public init(
    revision: Revision, author: SessionID, sequence: SequenceNumber, changes: InlineList<Change> = [],
    operation: DropOperation = .cancel, isRebased: Bool = false, isRedirected: Bool = false, minted: ItemList = []
  ) {
    self.revision = revision
    self.author = author
    self.sequence = sequence
    self.changes = changes
    self.operation = operation
    self.isRebased = isRebased
    self.isRedirected = isRedirected
    self.minted = minted
  }

  /// Adds a change that `audience` may see.
  package mutating func append(_ change: Change, for audience: Audience) {
    if audience != .everyone || !audiences.isEmpty {
      while audiences.count < changes.count { audiences.append(.everyone) }
      audiences.append(audience)
    }
    changes.append(change)
  }

  /// Who is told the change at `index`.
  package func audience(at index: Int) -> Audience { index < audiences.count ? audiences[index] : .everyone }

  /// The diff as `seat` is told it.
  package func told(to seat: SeatNumber) -> Diff {
    var told = self
    told.audiences = []
    told.changes = []
    for index in changes.indices where audience(at: index).includes(seat) {
      told.changes.append(changes[index].told(to: seat))
    }
    return told
  }
}

/// One step of a diff.
public enum Change: Hashable, Sendable {
  /// Out of their places, then in as one block in this order. The destination's anchor is never one of the items.
  case moved(ItemList, Destination)
  /// New to the viewer, as one block in this order.
  case inserted([Item], Destination)
  case removed(ItemList)
  /// New faces. A hidden one was turned down.
  case faced([Item])
  case status(String)
  case enabled(CollectionHandle, Bool)
  /// To viewers from whom the items and the order of a collection are private.
  case counted(CollectionHandle, Int)
  /// Values by name; one without a value is deleted.
  case variables([Attribute])
  /// Who sits where now. All seats, not only those that changed.
  case seats([Seat])
}

extension Change {
  fileprivate func told(to seat: SeatNumber) -> Change {
    switch self {
    case .inserted(let items, let destination): .inserted(items.map { $0.told(to: seat) }, destination)
    case .faced(let items): .faced(items.map { $0.told(to: seat) })
    case .moved, .removed, .status, .enabled, .counted, .variables, .seats: self
    }
  }
}

extension Item {
  /// The item as `seat` is told of it.
  package func told(to seat: SeatNumber) -> Item {
    var told = self
    told.sight = sight.includes(seat) ? .everyone : .nobody
    if told.sight == .nobody { told.face = Face() }
    return told
  }
}

/// A taken seat.
public struct Seat: Hashable, Sendable {
  public var number: SeatNumber
  public var name: String
  public var session: SessionID
  /// Presence, not state: it changes without a diff and stands in no hash.
  public var isConnected: Bool

  public init(number: SeatNumber, name: String, session: SessionID, isConnected: Bool = false) {
    self.number = number
    self.name = name
    self.session = session
    self.isConnected = isConnected
  }
}
