public import BaizeTable

/// A client's copy of a table: the confirmed state, the pending operations, and the visible state that they give.
///
/// An operation shows at once. When a diff comes, the pending operations are taken back (by inverse changes; the state is
/// not copied), the diff is applied, and they are judged again on top of it, by the code and with the window that the
/// daemon judges them with: what is visible is what the daemon will make of them if nothing else comes between.
public struct Replica: Sendable {
  /// The visible table.
  public internal(set) var table: Table
  public let epoch: Epoch
  /// Who this replica's operations are by.
  public internal(set) var author: Author
  /// The last revision that was applied: the base of what is submitted next.
  public internal(set) var confirmedRevision: Revision
  /// What was submitted and has no answer yet, oldest first.
  public internal(set) var pending: [PendingOperation] = []
  var nextSequence: SequenceNumber
  /// What the answers so far have taught, as the daemon remembers it.
  var memory = AuthorMemory()
  /// The same, with the pending operations behind it.
  var predictedMemory = AuthorMemory()
  /// Whether what changes is worked out for a user interface; a replica that no one looks at saves the trouble.
  public var reportsChanges = true

  /// - Parameters:
  ///   - state: As the snapshot had it.
  ///   - lastSequence: The last operation of this session that stands in `state`.
  public init(state: TableState, epoch: Epoch, author: Author, lastSequence: SequenceNumber) {
    table = Table(replicaOf: state)
    self.epoch = epoch
    self.author = author
    confirmedRevision = state.revision
    nextSequence = lastSequence.next
  }

  /// The number of the operation that was submitted last; zero where there is none.
  public var lastSequence: SequenceNumber { SequenceNumber(rawValue: nextSequence.rawValue - 1) }

  /// The visible state.
  public var state: TableState { table.state }

  // MARK: Pending

  mutating func takeBack() { table.takeBackPrediction(to: confirmedRevision) }

  mutating func replay() {
    predictedMemory = memory
    for place in pending.indices where !pending[place].isInState {
      let own = foresee(pending[place].operation)
      pending[place].prediction = own.prediction
      pending[place].foreseen = own.foreseen
      pending[place].steps = own.steps
    }
  }

  /// What changed between `before` and the visible state, as far as `touched` items go.
  func changes(since before: TableState, touched: Set<ItemID>, names: [ItemID: ItemID]) -> [TableChange] {
    TableChange.between(before, table.state, touched: touched.union(table.touchedItems), names: names)
  }
}
