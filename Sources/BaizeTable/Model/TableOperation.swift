/// A client's request to change a table. (`Operation` in the wire contract; that name would hide Foundation's.)
public struct TableOperation: Hashable, Sendable {
  /// The operation's number in the author's session and epoch, from 1.
  public var sequence: SequenceNumber
  /// The last revision that the author had applied.
  public var base: Revision
  /// The epoch of `base`.
  public var epoch: Epoch
  /// The number of the author's earlier operations that were pending when it was made. With `base` it identifies the
  /// state that the author saw: the base with those operations applied.
  public var unanswered: UInt32
  /// The seat under which it was made; `nil` if that is the author's present one.
  public var madeAs: SeatNumber?
  /// Whether it is written anew on another state than its author saw, in which what it is about may have been changed by others.
  public var isBaseLost: Bool
  /// The requested change.
  public var kind: Kind

  /// A requested change. The rarer kinds are boxed: most operations move items and stay small.
  public enum Kind: Hashable, Sendable {
    /// Drops items on a destination. It chooses one of the `suggested` operations, usually `move`; an empty set
    /// suggests all.
    case reorder(ReorderDifference, suggested: DropOperation.Set)
    /// Makes new items, as one block in this order.
    indirect case insert([NewItem], Destination)
    /// Removes items from the table.
    case remove(ItemList)
    /// Sets attributes of an item (one without a value is deleted) and replaces its representations, unless the list is
    /// empty.
    indirect case update(ItemID, attributes: [Attribute], representations: [Representation])
    /// Performs an action of the table type or of the host. Actions of a table type ignore the destination; those of the
    /// host ignore the items.
    indirect case perform(action: String, items: ItemList, Destination?)
    /// Undoes the author's own operation with this number.
    case undo(SequenceNumber)
    /// A kind that this version does not know.
    case unknown
    /// An operation that no table accepts, without the parts that exceed a limit: it is refused for its defect, and later
    /// operations may refer to it as to any refused one.
    indirect case invalid(OperationDefect, of: Kind)

    /// Returns a reorder of items.
    package static func move(
      _ items: some Sequence<ItemID>, to destination: Destination, suggested: DropOperation.Set = []
    ) -> Kind {
      .reorder(ReorderDifference(sources: ItemList(items), destination: destination), suggested: suggested)
    }
  }

  /// Creates an operation.
  public init(
    sequence: SequenceNumber, base: Revision, epoch: Epoch, unanswered: UInt32 = 0, madeAs: SeatNumber? = nil,
    isBaseLost: Bool = false, kind: Kind
  ) {
    self.sequence = sequence
    self.base = base
    self.epoch = epoch
    self.unanswered = unanswered
    self.madeAs = madeAs
    self.isBaseLost = isBaseLost
    self.kind = kind
  }
}

extension TableOperation.Kind {
  /// Whether it undoes another operation.
  package var isUndo: Bool { if case .undo = self { true } else { false } }

  /// Returns whether it is to move an item, or to take it off the table.
  package func moves(_ item: ItemID) -> Bool {
    switch self {
    case .reorder(let difference, _): difference.sources.contains(item)
    case .remove(let items), .perform(_, let items, _): items.contains(item)
    case .insert, .update, .undo, .unknown, .invalid: false
    }
  }

  /// Whether it is to put items somewhere, of which its author may see the effect before the answer.
  package var puts: Bool {
    switch self {
    case .reorder, .insert, .perform: true
    case .invalid(_, let kind): kind.puts
    case .remove, .update, .undo, .unknown: false
    }
  }

  /// The gap where it puts items; `nil` if it names none.
  package var gap: Destination? {
    switch self {
    case .reorder(let difference, _): difference.destination
    case .insert(_, let gap), .invalid(_, of: .insert(_, let gap)): gap
    case .invalid(_, of: .reorder(let difference, _)): difference.destination
    case .remove, .update, .perform, .undo, .unknown, .invalid: nil
    }
  }
}
