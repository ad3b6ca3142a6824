/// The judge's memory of one author's operations, kept while operations may arrive that were made before their answers:
/// the ids of the items that they made, and the items that are not where the author sees them.
public struct AuthorMemory: Hashable, Sendable {
  /// The outcome of an operation for an item that it was to put somewhere.
  struct Note: Hashable, Sendable {
    var sequence: SequenceNumber
    /// The revision that the operation was judged against, or led to.
    var revision: Revision
    var item: ItemID
    /// Whether the item was already where the author wanted it. Otherwise it is not where the author put it.
    var isInPlace: Bool
  }

  private struct Made: Hashable, Sendable {
    var sequence: SequenceNumber
    var items: ItemList
  }

  private var notes: [Note] = []
  /// Ascending by sequence.
  private var made: [Made] = []
  private var madeCount = 0
  private var refused: [SequenceNumber] = []
  /// The oldest operation that is remembered.
  private var oldestRemembered = Self.nothing
  private static let nothing = SequenceNumber(rawValue: .max)

  /// Creates the empty memory of a new session.
  public init() {}

  /// Records that `items` are not where operation `sequence`, judged at `revision`, would have put them.
  mutating func displace(_ items: some Sequence<ItemID>, by sequence: SequenceNumber, at revision: Revision) {
    note(items, isInPlace: false, sequence, revision)
  }

  /// Records that `items` already were where operation `sequence`, judged at `revision`, wanted them.
  mutating func settle(_ items: some Sequence<ItemID>, by sequence: SequenceNumber, at revision: Revision) {
    note(items, isInPlace: true, sequence, revision)
  }

  private mutating func note(
    _ items: some Sequence<ItemID>, isInPlace: Bool, _ sequence: SequenceNumber, _ revision: Revision
  ) {
    for item in items.prefix(TableLimits.itemsPerOperationMax) where item != .none {
      // The author may still use the provisional id, or the table's own.
      let item = item.isProvisional ? resolve(item) ?? item : item
      notes.append(Note(sequence: sequence, revision: revision, item: item, isInPlace: isInPlace))
      remember(sequence)
    }
    if notes.count > TableLimits.memoryEntriesMax { notes.removeFirst(notes.count / 2) }
  }

  /// Records that an operation was refused.
  package mutating func refuse(_ sequence: SequenceNumber) {
    refused.append(sequence)
    remember(sequence)
    if refused.count > TableLimits.memoryEntriesMax { refused.removeFirst(refused.count / 2) }
  }

  /// Returns whether one of the author's pending operations was refused.
  func isRefused(_ sequence: SequenceNumber) -> Bool { refused.contains(sequence) }

  /// Records the ids of the items that operation `sequence` made; ``ItemID/none`` for those that were not accepted.
  mutating func make(_ items: ItemList, by sequence: SequenceNumber) {
    guard !items.isEmpty else { return }
    made.append(Made(sequence: sequence, items: items))
    remember(sequence)
    madeCount += items.count
    while madeCount > TableLimits.memoryItemsMadeMax { madeCount -= made.removeFirst().items.count }
  }

  /// Restores, from the journal, the ids of the items that an accepted operation made.
  package mutating func restore(_ minted: ItemList, of sequence: SequenceNumber) { make(minted, by: sequence) }

  /// Forgets everything that no later operation can refer to: the author of `operation` had received the answers of all
  /// but its pending ones.
  @inline(__always) mutating func advance(to operation: TableOperation) {
    let oldest = operation.sequence.rawValue.subtractingReportingOverflow(UInt64(operation.unanswered))
    let first = SequenceNumber(rawValue: oldest.overflow ? 0 : oldest.partialValue)
    if first > oldestRemembered { forget(before: first) }
  }

  private mutating func forget(before first: SequenceNumber) {
    notes.removeAll { $0.sequence < first }
    refused.removeAll { $0 < first }
    made.removeAll { $0.sequence < first }
    madeCount = made.reduce(0) { $0 + $1.items.count }
    let oldest = [notes.lazy.map(\.sequence).min(), refused.min(), made.lazy.map(\.sequence).min()].compactMap(\.self)
    oldestRemembered = oldest.min() ?? Self.nothing
  }

  /// Whether no operation is remembered.
  var remembersNothing: Bool { oldestRemembered == Self.nothing }

  private mutating func remember(_ sequence: SequenceNumber) { oldestRemembered = min(oldestRemembered, sequence) }

  /// Returns the note of the author's last pending operation on `item` that left one.
  func lastNote(on item: ItemID) -> Note? { notes.last { $0.item == item } }

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
  /// - Parameter revision: The revision that the operation led to, or that it was judged against.
  mutating func learn(_ operation: TableOperation, _ plan: borrowing Plan, minted: ItemList, at revision: Revision) {
    if !minted.isEmpty { make(minted, by: operation.sequence) }
    // Most operations did exactly what their author requested.
    if case .move = plan.effect, !plan.isRedirected, plan.acceptedPositions == nil { return }
    switch operation.kind {
    case .reorder(let difference, _):
      learn(difference.sources, plan, minted, at: revision)
    case .insert: if plan.isRedirected { displace(minted, by: operation.sequence, at: revision) }
    case .remove, .update, .perform, .undo, .unknown: break
    }
  }

  private mutating func learn(_ sources: ItemList, _ plan: borrowing Plan, _ minted: ItemList, at revision: Revision) {
    var isUnchanged = false
    if case .nothing = plan.effect { isUnchanged = true }
    if plan.operation == .copy {
      // The sources stay where they are; only the copies may have landed elsewhere.
      if plan.isRedirected { displace(minted, by: plan.sequence, at: revision) }
    } else if plan.isRedirected {
      displace(sources, by: plan.sequence, at: revision)
    } else if let accepted = plan.acceptedPositions.map(Set.init) {
      displace(
        sources.indices.filter { !accepted.contains($0) }.map { sources[$0] }, by: plan.sequence, at: revision)
      guard isUnchanged else { return }
      settle(sources.indices.filter(accepted.contains).map { sources[$0] }, by: plan.sequence, at: revision)
    } else if isUnchanged {
      settle(sources, by: plan.sequence, at: revision)
    }
  }

  /// Records that no item that a refused operation would have moved is where its author sees it.
  mutating func displace(_ operation: TableOperation, at revision: Revision) {
    switch operation.kind {
    case .reorder(let difference, _): displace(difference.sources, by: operation.sequence, at: revision)
    case .remove(let items), .perform(_, let items, _): displace(items, by: operation.sequence, at: revision)
    case .insert, .update, .undo, .unknown: break
    }
  }
}

extension AuthorMemory {
  /// Records, in a replica, an accepted operation: the notes that the authority took when it judged, as far as the diff
  /// shows.
  public mutating func confirm(_ operation: TableOperation, _ diff: Diff) {
    advance(to: operation)
    make(diff.minted, by: operation.sequence)
    switch operation.kind {
    case .reorder where diff.operation == .copy, .insert:
      if diff.isRedirected { displace(diff.minted, by: operation.sequence, at: diff.revision) }
    case .reorder(let difference, _):
      let taken = diff.isRedirected ? [] : Set(diff.takenItems)
      let left = difference.sources.filter { !taken.contains($0.isProvisional ? resolve($0) ?? $0 : $0) }
      displace(left, by: operation.sequence, at: diff.revision)
    case .remove, .update, .perform, .undo, .unknown: break
    }
  }

  /// Records, in a replica, an accepted operation whose diff was not received: a snapshot contains its effect.
  public mutating func confirmAccepted(
    _ operation: TableOperation, minted: ItemList, isRedirected: Bool, at revision: Revision
  ) {
    advance(to: operation)
    make(minted, by: operation.sequence)
    if !minted.isEmpty {
      if isRedirected { displace(minted, by: operation.sequence, at: revision) }
    } else if case .reorder(let difference, _) = operation.kind {
      note(difference.sources, isInPlace: !isRedirected, operation.sequence, revision)
    }
  }

  /// Records, in a replica, an operation that was judged to change nothing.
  public mutating func confirmUnchanged(_ operation: TableOperation, at revision: Revision) {
    advance(to: operation)
    if case .reorder(let difference, _) = operation.kind {
      settle(difference.sources, by: operation.sequence, at: revision)
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
