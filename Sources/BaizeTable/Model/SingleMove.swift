/// A reorder of one item: the most frequent operation, in a form of which a copy allocates and retains nothing.
public struct SingleMove: Sendable, BitwiseCopyable {
  /// The operation's number.
  public let sequence: SequenceNumber
  /// The last revision that the author had applied.
  public let base: Revision
  /// The epoch of `base`.
  public let epoch: Epoch
  /// The number of the author's operations that were pending before this one.
  public let unanswered: UInt32
  /// The drop operations that the author offers; none offers all.
  public let suggested: DropOperation.Set
  /// The item to move.
  public let item: ItemID
  /// The requested destination.
  public let destination: Destination

  /// Creates a move. Its parameters are those of ``TableOperation``.
  @inlinable @inline(__always) public init(
    sequence: SequenceNumber, base: Revision, epoch: Epoch, unanswered: UInt32, suggested: DropOperation.Set,
    item: ItemID, destination: Destination
  ) {
    self.sequence = sequence
    self.base = base
    self.epoch = epoch
    self.unanswered = unanswered
    self.suggested = suggested
    self.item = item
    self.destination = destination
  }

  /// Converts a move of one item; `nil` for any other operation.
  init?(_ operation: TableOperation) {
    guard case .reorder(let difference, let suggested) = operation.kind, case .one(let item) = difference.sources else {
      return nil
    }
    self.init(
      sequence: operation.sequence, base: operation.base, epoch: operation.epoch, unanswered: operation.unanswered,
      suggested: suggested, item: item, destination: difference.destination)
  }

  /// The same operation in its general form.
  @inlinable @inline(__always) public var operation: TableOperation {
    TableOperation(
      sequence: sequence, base: base, epoch: epoch, unanswered: unanswered,
      kind: .reorder(ReorderDifference(sources: ItemList(item), destination: destination), suggested: suggested))
  }
}

/// A diff that moves one item and changes nothing else, and that everyone may see: the most frequent one.
package struct SingleMoveDiff: Sendable, BitwiseCopyable {
  package let revision: Revision
  package let author: SessionID
  package let sequence: SequenceNumber
  package let item: ItemID
  package let placement: Placement
  package let operation: DropOperation
  package let isRebased: Bool
  package let isRedirected: Bool
}

extension SingleMoveDiff {
  /// Converts a diff that only moves one item; `nil` for any other diff.
  @inline(__always) package init?(_ diff: Diff) {
    guard diff.changes.endIndex == 1, diff.audiences.isEmpty, diff.minted.isEmpty,
      case .moved(let items, let placement) = diff.changes[0], items.endIndex == 1
    else { return nil }
    self.init(
      revision: diff.revision, author: diff.author, sequence: diff.sequence, item: items[0], placement: placement,
      operation: diff.operation, isRebased: diff.isRebased, isRedirected: diff.isRedirected)
  }
}

extension Diff {
  /// Converts the diff to its general form.
  @inline(__always) init(_ move: SingleMoveDiff) {
    self.init(
      revision: move.revision, author: move.author, sequence: move.sequence,
      changes: .one(.moved(.one(move.item), move.placement)), operation: move.operation, isRebased: move.isRebased,
      isRedirected: move.isRedirected)
  }
}
