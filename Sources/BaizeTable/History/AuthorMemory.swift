/// The judge's memory of one author's operations: the ids of the items that they made, kept as long as their answers are,
/// and the items that are not where the author sees them, kept while operations may arrive that were made before the
/// answers.
public struct AuthorMemory: Hashable, Sendable {
  /// The outcome of an operation for an item that it was to put somewhere.
  struct Note: Hashable, Sendable {
    var sequence: SequenceNumber
    /// The revision that the operation was judged against, or led to.
    var revision: Revision
    var item: ItemID
    /// Whether the item was already where the author wanted it. Otherwise it is not where the author put it.
    var isInPlace: Bool
    /// If it is not, the items that stand in for it as a neighbor: those between which it was to be, or of its block that
    /// were accepted the last and the first.
    var standIns = StandIns()
  }

  /// The items that stand in for one that its author's operation did not put where the author sees it.
  struct StandIns: Hashable, Sendable, BitwiseCopyable {
    /// For an item in front of a gap (N2a); none if there is none.
    var after = ItemID.none
    /// For an item behind a gap (N2g); none if there is none.
    var before = ItemID.none
  }

  private struct Refused: Hashable, Sendable {
    var sequence: SequenceNumber
    var standIns: StandIns
  }

  private struct Made: Hashable, Sendable {
    var sequence: SequenceNumber
    var items: ItemList
  }

  /// The revision since which the author has its seat, or the table is in memory, where views differ. What it did before is not its own any more: else it
  /// would learn what the seat's last holder did with items that it did not see.
  public var seatedAt = Revision.zero

  private var notes: [Note] = []
  /// Ascending by sequence.
  private var made: [Made] = []
  private var madeCount = 0
  /// The last operation whose items were forgotten because there were too many.
  private var forgottenMade = SequenceNumber.zero
  private var refused: [Refused] = []
  /// The number of operations whose answers the session remembers. Their items can be named by provisional ids.
  private let answersMax: UInt64
  /// The number of operations whose answers a session remembers, unless it is configured otherwise.
  public static let answersMaxDefault = 256

  /// The oldest operation that is remembered, apart from ids.
  private var oldestRemembered = Self.nothing
  private static let nothing = SequenceNumber(rawValue: .max)

  /// Creates the empty memory of a new session.
  ///
  /// - Parameter answersMax: The number of operations whose answers the session remembers.
  public init(answersMax: Int = AuthorMemory.answersMaxDefault) { self.answersMax = UInt64(answersMax) }

  /// Records that `items` are not where operation `sequence`, judged at `revision`, would have put them.
  mutating func noteDisplaced(
    _ items: some Sequence<ItemID>, by sequence: SequenceNumber, at revision: Revision,
    _ standIns: StandIns = StandIns()
  ) {
    note(items, isInPlace: false, sequence, revision, standIns)
  }

  /// Records that `items` already were where operation `sequence`, judged at `revision`, wanted them.
  mutating func noteInPlace(_ items: some Sequence<ItemID>, by sequence: SequenceNumber, at revision: Revision) {
    note(items, isInPlace: true, sequence, revision)
  }

  private mutating func note(
    _ items: some Sequence<ItemID>, isInPlace: Bool, _ sequence: SequenceNumber, _ revision: Revision,
    _ standIns: StandIns = StandIns()
  ) {
    for item in items.prefix(TableLimits.itemsPerOperationMax) where item != .none {
      // The author may still use the provisional id, or the table's own.
      let item = item.isProvisional ? resolve(item) ?? item : item
      notes.append(
        Note(sequence: sequence, revision: revision, item: item, isInPlace: isInPlace, standIns: standIns))
      remember(sequence)
    }
    if notes.count > TableLimits.memoryEntriesMax { notes.removeFirst(notes.count / 2) }
  }

  /// Records that an operation was refused.
  package mutating func refuse(_ sequence: SequenceNumber) { refuse(sequence, StandIns()) }

  /// Records that an operation was refused that was to put items between others.
  mutating func refuse(_ sequence: SequenceNumber, _ standIns: StandIns) {
    refused.append(Refused(sequence: sequence, standIns: standIns))
    remember(sequence)
    if refused.count > TableLimits.memoryEntriesMax { refused.removeFirst(refused.count / 2) }
  }

  /// Returns whether one of the author's pending operations was refused.
  func isRefused(_ sequence: SequenceNumber) -> Bool {
    refused.contains { $0.sequence == sequence }
  }

  /// Records the ids of the items that operation `sequence` made; ``ItemID/none`` for those that were not accepted.
  mutating func make(_ items: ItemList, by sequence: SequenceNumber) {
    guard !items.isEmpty else { return }
    made.append(Made(sequence: sequence, items: items))
    madeCount += items.count
    let isLong = made.count > 64 && made[made.count / 2].sequence.rawValue &+ answersMax < sequence.rawValue
    guard isLong || madeCount > TableLimits.memoryItemsMadeMax else { return }
    var first = 0
    while first < made.count - 1,
      madeCount > TableLimits.memoryItemsMadeMax || made[first].sequence.rawValue &+ answersMax < sequence.rawValue
    {
      forgottenMade = made[first].sequence
      madeCount -= made[first].items.count
      first += 1
    }
    made.removeFirst(first)
  }

  /// The number of operations whose items can be named by provisional ids.
  var madeOperations: Int { made.count }

  /// Restores, from the journal, the ids of the items that an accepted operation made.
  package mutating func restore(_ minted: ItemList, of sequence: SequenceNumber) { make(minted, by: sequence) }

  /// Forgets everything that no later operation can refer to: when the author made operation `sequence`,
  /// it had received the answers of all before but `unanswered` ones.
  @inline(__always) mutating func advance(to sequence: SequenceNumber, unanswered: UInt32) {
    let oldest = sequence.rawValue.subtractingReportingOverflow(UInt64(unanswered))
    let first = SequenceNumber(rawValue: oldest.overflow ? 0 : oldest.partialValue)
    if first > oldestRemembered { forget(before: first) }
  }

  private mutating func forget(before first: SequenceNumber) {
    notes.removeAll { $0.sequence < first }
    refused.removeAll { $0.sequence < first }
    let oldest = [notes.lazy.map(\.sequence).min(), refused.lazy.map(\.sequence).min()].compactMap(\.self)
    oldestRemembered = oldest.min() ?? Self.nothing
  }

  /// The approximate memory of what is remembered, in bytes.
  package var memoryBytes: Int {
    notes.capacity * MemoryLayout<Note>.stride + refused.capacity * MemoryLayout<Refused>.stride
      + made.capacity * MemoryLayout<Made>.stride + madeCount * MemoryLayout<ItemID>.stride
  }

  /// Whether no operation is remembered, apart from ids.
  var remembersNothing: Bool { oldestRemembered == Self.nothing }

  private mutating func remember(_ sequence: SequenceNumber) { oldestRemembered = min(oldestRemembered, sequence) }

  /// Returns the note of the author's last pending operation on `item` that left one.
  func lastNote(on item: ItemID) -> Note? { notes.last { $0.item == item } }

  /// Returns the same for an operation before `sequence`.
  func lastNote(on item: ItemID, before sequence: SequenceNumber) -> Note? {
    notes.last { $0.item == item && $0.sequence < sequence }
  }

  /// Returns the items that stand in for one that its operation did not make: the last and the first of those that it
  /// made, or those between which it was to put them.
  func standIns(forMissing provisional: ItemID) -> StandIns? {
    let sequence = provisional.provisionalOperation
    guard let items = made.last(where: { $0.sequence == sequence })?.items else {
      return refused.last { $0.sequence == sequence }?.standIns
    }
    return StandIns(after: items.last { $0 != .none } ?? .none, before: items.first { $0 != .none } ?? .none)
  }

  /// Returns the table's id of an item that the author names by a provisional one in operation `sequence` (O10).
  ///
  /// - Returns: `nil` if the operation that was to make the item did not.
  /// - Throws: `UNKNOWN_ITEM` if that operation was not judged yet, or if its answer is no longer remembered.
  func resolve(_ provisional: ItemID, in sequence: SequenceNumber) throws(Refusal) -> ItemID? {
    let operation = provisional.provisionalOperation
    guard operation < sequence else { throw Refusal(.unknownItem) }
    guard operation > forgottenMade, sequence.rawValue - operation.rawValue <= answersMax else {
      throw Refusal(.unknownItem, detail: "the answer to the operation that made the item is no longer remembered")
    }
    return resolve(provisional)
  }

  /// Returns the table's id for a provisional one; `nil` if its operation made no such item.
  package func resolve(_ provisional: ItemID) -> ItemID? {
    let operation = provisional.provisionalOperation
    let index = made[...].partitionIndex { $0.sequence > operation } - 1
    guard index >= 0, made[index].sequence == operation, case let items = made[index].items,
      items.indices.contains(provisional.provisionalNumber)
    else { return nil }
    let item = items[provisional.provisionalNumber]
    return item == .none ? nil : item
  }
}

extension AuthorMemory {
  /// Records an operation that was not refused: the items that it made, and the items that are not where their author
  /// sees them, or already were there.
  ///
  /// - Parameters:
  ///   - standIns: The neighbors of its gap, which matter only if items are not where their author sees them.
  ///   - revision: The revision that the operation led to, or that it was judged against.
  mutating func learn(
    _ operation: TableOperation, _ plan: borrowing Plan, minted: ItemList, _ standIns: StandIns, at revision: Revision
  ) {
    if !minted.isEmpty { make(minted, by: operation.sequence) }
    // Most operations did exactly what their author requested.
    if case .move = plan.effect, !plan.isRedirected, plan.acceptedPositions == nil { return }
    switch operation.kind {
    case .reorder(let difference, _):
      learn(difference.sources, standIns, plan, minted, at: revision)
    case .insert: if plan.isRedirected { noteDisplaced(minted, by: operation.sequence, at: revision, standIns) }
    case .remove, .update, .perform, .undo, .unknown, .invalid: break
    }
  }

  private mutating func learn(
    _ sources: ItemList, _ standIns: StandIns, _ plan: borrowing Plan, _ minted: ItemList, at revision: Revision
  ) {
    var isUnchanged = false
    if case .nothing = plan.effect { isUnchanged = true }
    if plan.operation.keepsSources {
      // The sources stay where they are; only the copies may have landed elsewhere.
      if plan.isRedirected { noteDisplaced(minted, by: plan.sequence, at: revision, standIns) }
    } else if plan.isRedirected {
      noteDisplaced(sources, by: plan.sequence, at: revision, standIns)
    } else if let accepted = plan.acceptedPositions.map(Set.init) {
      noteDisplaced(
        sources.indices.filter { !accepted.contains($0) }.map { sources[$0] }, by: plan.sequence, at: revision,
        StandIns(
          after: accepted.max().map { sources[$0] } ?? standIns.after,
          before: accepted.min().map { sources[$0] } ?? standIns.before))
      guard isUnchanged else { return }
      noteInPlace(sources.indices.filter(accepted.contains).map { sources[$0] }, by: plan.sequence, at: revision)
    } else if isUnchanged {
      noteInPlace(sources, by: plan.sequence, at: revision)
    }
  }

  /// Records that no item that a refused operation would have moved is where its author sees it.
  mutating func noteDisplaced(_ operation: TableOperation, at revision: Revision, _ standIns: StandIns) {
    switch operation.kind {
    case .reorder(let difference, _): noteDisplaced(difference.sources, by: operation.sequence, at: revision, standIns)
    case .remove(let items), .perform(_, let items, _), .invalid(_, of: .perform(_, let items, _)):
      noteDisplaced(items, by: operation.sequence, at: revision)
    case .insert, .update, .undo, .unknown, .invalid: break
    }
  }
}

extension AuthorMemory {
  /// Forgets, in a replica, what operations after `last` made: the daemon has lost them, and their numbers are given again.
  package mutating func forgetMade(after last: SequenceNumber) {
    made.removeAll { $0.sequence > last }
    madeCount = made.reduce(0) { $0 + $1.items.count }
    forgottenMade = min(forgottenMade, last)
  }

  /// Records, in a replica, an accepted operation: the notes that the authority took when it judged, as far as the diff
  /// shows.
  mutating func confirm(_ operation: TableOperation, _ diff: Diff, _ standIns: StandIns) {
    advance(to: operation.sequence, unanswered: operation.unanswered)
    make(diff.minted, by: operation.sequence)
    switch operation.kind {
    case .reorder where diff.operation.keepsSources, .insert:
      if diff.isRedirected { noteDisplaced(diff.minted, by: operation.sequence, at: diff.revision, standIns) }
    case .reorder(let difference, _):
      let taken = diff.isRedirected ? [] : Set(diff.takenItems)
      let isTaken = difference.sources.map { taken.contains($0.isProvisional ? resolve($0) ?? $0 : $0) }
      noteDisplaced(
        difference.sources.indices.filter { !isTaken[$0] }.map { difference.sources[$0] }, by: operation.sequence,
        at: diff.revision,
        StandIns(
          after: isTaken.lastIndex(of: true).map { difference.sources[$0] } ?? standIns.after,
          before: isTaken.firstIndex(of: true).map { difference.sources[$0] } ?? standIns.before))
    case .remove, .update, .perform, .undo, .unknown, .invalid: break
    }
  }

  /// Records, in a replica, an accepted operation whose diff was not received: a snapshot contains its effect.
  mutating func confirmAccepted(
    _ operation: TableOperation, minted: ItemList, isRedirected: Bool, _ standIns: StandIns, at revision: Revision
  ) {
    advance(to: operation.sequence, unanswered: operation.unanswered)
    make(minted, by: operation.sequence)
    if !minted.isEmpty {
      if isRedirected { noteDisplaced(minted, by: operation.sequence, at: revision, standIns) }
    } else if case .reorder(let difference, _) = operation.kind {
      note(difference.sources, isInPlace: !isRedirected, operation.sequence, revision, standIns)
    }
  }

  /// Records, in a replica, an operation that was judged to change nothing.
  public mutating func confirmUnchanged(_ operation: TableOperation, at revision: Revision) {
    advance(to: operation.sequence, unanswered: operation.unanswered)
    if case .reorder(let difference, _) = operation.kind {
      noteInPlace(difference.sources, by: operation.sequence, at: revision)
    }
  }
}

extension Diff {
  /// The items that the diff's first change takes out: those that a move or a deletion accepted.
  fileprivate var takenItems: ItemList {
    for change in changes {
      switch change {
      case .moved(let items, _), .removed(let items): return items
      case .inserted, .faced, .status, .enabled, .counted, .variables, .seats: break
      }
    }
    return []
  }
}
