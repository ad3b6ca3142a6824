public import BaizeTable

/// A client's copy of a table: the confirmed state, the pending operations, and the visible state that results from both.
///
/// An operation is visible at once. When a diff arrives, the pending operations are undone (by inverse changes; the state is
/// not copied), the diff is applied, and they are judged again on top of it, with the daemon's own code and window. The
/// visible state is thus the one that the daemon will produce if no other operation comes first.
public struct Replica: Sendable {
  /// The visible table.
  public internal(set) var table: Table
  /// The epoch of the table's revisions.
  public let epoch: Epoch
  /// The author of this replica's operations.
  public internal(set) var author: Author
  /// The last applied revision, which is the base of the next operation.
  public internal(set) var confirmedRevision: Revision
  /// The operations that were submitted and not acknowledged yet, oldest first.
  public internal(set) var pending: [PendingOperation] = []
  var nextSequence: SequenceNumber
  /// The record of the answers so far, equal to the daemon's.
  var memory = AuthorMemory()
  /// The same after the pending operations' predictions.
  var predictedMemory = AuthorMemory()
  /// The maximum size in bytes of a frame to the daemon. An operation that does not fit is refused here.
  public var frameBytesMax = WireLimits.frameBytesMax
  /// Whether visible changes are computed; a replica without a user interface saves their cost.
  public var reportsChanges = true

  /// Creates a replica without pending operations.
  ///
  /// - Parameters:
  ///   - state: The snapshot's state.
  ///   - epoch: The snapshot's epoch.
  ///   - author: The author of this replica's operations.
  ///   - lastSequence: The last operation of this session that `state` contains.
  ///   - keySeed: A number that other clients do not know.
  public init(
    state: TableState, epoch: Epoch, author: Author, lastSequence: SequenceNumber, keySeed: UInt64 = 0
  ) {
    table = Table(replicaOf: state, keySeed: keySeed)
    self.epoch = epoch
    self.author = author
    confirmedRevision = state.revision
    nextSequence = lastSequence.next
  }

  /// The sequence number of the operation that was submitted last; zero if there is none.
  public var lastSequence: SequenceNumber { SequenceNumber(rawValue: nextSequence.rawValue - 1) }

  /// The visible state.
  public var state: TableState { table.state }

  // MARK: Pending

  mutating func rollBack() { table.rollBackPrediction(to: confirmedRevision) }

  mutating func replay() {
    predictedMemory = memory
    for index in pending.indices where !pending[index].isInState {
      let predicted = predict(pending[index].operation)
      pending[index].prediction = predicted.prediction
      if case .refused(let refusal) = predicted.prediction, refusal.reason == .contended {
        pending[index].isBaseLost = true
      }
      pending[index].predictedDiff = predicted.predictedDiff
      pending[index].steps = predicted.steps
    }
  }

  /// Returns the changes from `before` to the visible state.
  ///
  /// - Parameters:
  ///   - touched: The changed items; those that a prediction touches are added.
  ///   - names: The final ids of created items, by their provisional ids.
  func changes(since before: TableState, touched: Set<ItemID>, names: [ItemID: ItemID]) -> [TableChange] {
    TableChange.between(before, table.state, touched: touched.union(table.touchedItems), names: names)
  }
}
