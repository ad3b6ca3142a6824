/// All changes of one accepted operation, consequences included. It raises the table's revision by one.
public struct Diff: Hashable, Sendable {
  /// The revision that the diff leads to.
  public var revision: Revision
  /// The session whose operation it is; ``SessionID/daemon`` for the daemon's own changes.
  public var author: SessionID
  /// The number of the author's operation; zero for a change that no client asked for.
  public var sequence: SequenceNumber
  /// The changes, in the order in which they are applied.
  public var changes: InlineList<Change>
  /// The audience of each change, in the same order; empty if everyone may see all of them.
  package internal(set) var audiences = InlineList<Audience>.none
  /// The drop operation; `.cancel` if the operation was not a drop.
  public var operation: DropOperation
  /// Whether the destination was carried forward over diffs that the author had not seen.
  public var isRebased: Bool
  /// Whether the rules chose another destination than the requested one.
  public var isRedirected: Bool
  /// The new id of each item that the operation asked to make, in order; ``ItemID/none`` for an item that was not
  /// accepted. For the author only.
  public var minted: ItemList

  /// Creates a diff whose changes everyone may see.
  @inline(__always) public init(
    revision: Revision, author: SessionID, sequence: SequenceNumber, changes: InlineList<Change> = .none,
    operation: DropOperation = .cancel, isRebased: Bool = false, isRedirected: Bool = false, minted: ItemList = .none
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

  package func audience(at index: Int) -> Audience { index < audiences.count ? audiences[index] : .everyone }

  /// The number of items that the diff moves, makes, removes or shows.
  package var itemCount: Int {
    var count = 0
    for index in changes.indices {
      switch changes[index] {
      case .moved(let items, _), .removed(let items): count += items.count
      case .inserted(let items, _), .faced(let items): count += items.count
      case .status, .enabled, .counted, .variables, .seats: break
      }
    }
    return count
  }
}

/// One step of a diff.
public enum Change: Hashable, Sendable {
  /// The items leave their positions and become one block in this order. The item behind it is never one of them.
  case moved(ItemList, Placement)
  /// Items that are new to the viewer become one block in this order.
  case inserted([Item], Placement)
  /// The items leave the viewer's table.
  case removed(ItemList)
  /// The items have new faces. An item whose face is hidden was turned down.
  case faced([Item])
  /// The status of the table.
  case status(String)
  /// Whether a collection is enabled.
  case enabled(CollectionHandle, Bool)
  /// The number of items in a collection, for viewers that may not see its items and order.
  case counted(CollectionHandle, Int)
  /// Variables by name; one without a value is deleted.
  case variables([Attribute])
  /// All taken seats, not only those that changed.
  case seats([Seat])
}

/// A taken seat.
public struct Seat: Hashable, Sendable {
  /// The seat's number, from 1.
  public var number: SeatNumber
  /// The participant's display name.
  public var name: String
  /// The person who has the seat, by the number of that one's first session; ``SessionID/daemon`` if nobody has it, because a hand
  /// is left in it.
  public var person: SessionID
  /// Whether one of the person's sessions has a connection. Presence, not state: it changes without a diff and is part of no hash.
  public var isConnected: Bool
  /// The person's sessions that have a connection, unless it is just the first one. Presence, as ``isConnected``.
  public var otherSessions: [SessionID] = []
  /// Whether the person has been away for longer than the grace time: the seat is kept, and turns and what every seat has to
  /// fulfil pass over it (J22).
  public var isAbsent: Bool

  /// Creates a taken seat.
  public init(
    number: SeatNumber, name: String, person: SessionID, isConnected: Bool = false, isAbsent: Bool = false
  ) {
    self.number = number
    self.name = name
    self.person = person
    self.isConnected = isConnected
    self.isAbsent = isAbsent
  }

  /// Whether somebody has the seat.
  public var isHeld: Bool { person != .daemon }

  /// The person's sessions that have a connection.
  public var connectedSessions: [SessionID] { !otherSessions.isEmpty ? otherSessions : isConnected ? [person] : [] }

  /// Returns whether both are equal, names byte by byte.
  public static func == (left: Self, right: Self) -> Bool {
    left.number == right.number && left.person == right.person && left.isConnected == right.isConnected
      && left.isAbsent == right.isAbsent && left.otherSessions == right.otherSessions
      && left.name.hasBytes(of: right.name)
  }
}
