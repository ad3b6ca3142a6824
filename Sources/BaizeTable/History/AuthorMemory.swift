/// What the judge remembers of one author's operations, for as long as operations may come that were made before their
/// answers: the ids of what they made, and where they left items without a diff that tells it.
public struct AuthorMemory: Hashable, Sendable {
  /// What became of an item that an operation was to put somewhere.
  struct Note: Hashable, Sendable {
    var sequence: SequenceNumber
    /// The state that the operation was judged against, or led to.
    var revision: Revision
    var item: ItemID
    /// It stood where the author wanted it already. If not, it is not where the author put it.
    var isInPlace: Bool
  }

  private struct Made: Hashable, Sendable {
    var sequence: SequenceNumber
    var items: ItemList
  }

  private var notes: [Note] = []
  private var made: [Made] = []
  private var madeCount = 0
  private var refused: [SequenceNumber] = []
  /// No operation before this one is remembered.
  private var oldestRemembered = Self.nothing
  private static let nothing = SequenceNumber(rawValue: .max)

  /// Nothing: the memory of a new session.
  public init() {}

  /// Notes that `items` are not where operation `sequence`, judged at `revision`, would have put them.
  mutating func displace(_ items: some Sequence<ItemID>, by sequence: SequenceNumber, at revision: Revision) {
    note(items, isInPlace: false, sequence, revision)
  }

  /// Notes that `items` stood where operation `sequence`, judged at `revision`, wanted them.
  mutating func settle(_ items: some Sequence<ItemID>, by sequence: SequenceNumber, at revision: Revision) {
    note(items, isInPlace: true, sequence, revision)
  }

  private mutating func note(
    _ items: some Sequence<ItemID>, isInPlace: Bool, _ sequence: SequenceNumber, _ revision: Revision
  ) {
    for item in items.prefix(TableLimits.itemsPerOperationMax) where item != .none {
      // The author may go on calling it by its provisional name, or by its own.
      let item = item.isProvisional ? resolve(item) ?? item : item
      notes.append(Note(sequence: sequence, revision: revision, item: item, isInPlace: isInPlace))
      remember(sequence)
    }
    if notes.count > TableLimits.memoryEntriesMax { notes.removeFirst(notes.count / 2) }
  }

  /// Notes that an operation was refused.
  package mutating func refuse(_ sequence: SequenceNumber) {
    refused.append(sequence)
    remember(sequence)
    if refused.count > TableLimits.memoryEntriesMax { refused.removeFirst(refused.count / 2) }
  }

  /// Whether one of the author's unanswered operations was refused.
  func isRefused(_ sequence: SequenceNumber) -> Bool { refused.contains(sequence) }

  /// Notes the ids of what operation `sequence` made; ``ItemID/none`` for what was not accepted.
  mutating func make(_ items: ItemList, by sequence: SequenceNumber) {
    guard !items.isEmpty else { return }
    made.append(Made(sequence: sequence, items: items))
    remember(sequence)
    madeCount += items.count
    while madeCount > TableLimits.memoryItemsMadeMax { madeCount -= made.removeFirst().items.count }
  }

  /// Takes in what a journal tells of an accepted operation: the ids of what it made.
  package mutating func restore(_ minted: ItemList, of sequence: SequenceNumber) { make(minted, by: sequence) }

  /// Forgets what no later operation can refer to: `operation` knew the answers of all but its unanswered ones.
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

  /// Whether nothing is remembered of any operation.
  var remembersNothing: Bool { oldestRemembered == Self.nothing }

  private mutating func remember(_ sequence: SequenceNumber) { oldestRemembered = min(oldestRemembered, sequence) }

  /// What the last of the author's unanswered operations on `item` that left a note came to.
  func lastNote(on item: ItemID) -> Note? { notes.last { $0.item == item } }

  /// The table's id for a provisional one; `nil` where its operation made no such item.
  package func resolve(_ provisional: ItemID) -> ItemID? {
    guard let items = made.last(where: { $0.sequence == provisional.provisionalOperation })?.items,
      items.indices.contains(provisional.provisionalNumber)
    else { return nil }
    let item = items[provisional.provisionalNumber]
    return item == .none ? nil : item
  }
}

extension AuthorMemory {
  /// Learns of an operation that was not refused: what it made, and which items are not where their author sees them, or
  /// were there without a diff.
  ///
  /// - Parameter revision: The revision that the operation led to, or that it was judged against.
  mutating func learn(_ operation: TableOperation, _ plan: borrowing Plan, minted: ItemList, at revision: Revision) {
    if !minted.isEmpty { make(minted, by: operation.sequence) }
    // Most operations did just what their author asked for.
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
      // The sources stay where they are; the copies are what may have landed elsewhere.
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

  /// Learns that nothing that a refused operation would have moved is where its author sees it.
  mutating func displace(_ operation: TableOperation, at revision: Revision) {
    switch operation.kind {
    case .reorder(let difference, _): displace(difference.sources, by: operation.sequence, at: revision)
    case .remove(let items), .perform(_, let items, _): displace(items, by: operation.sequence, at: revision)
    case .insert, .update, .undo, .unknown: break
    }
  }
}

extension AuthorMemory {
  /// Learns, in a replica, that an operation was accepted: what the authority noted when it judged, as far as the diff
  /// tells.
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

  /// Learns, in a replica, that an operation was accepted whose diff did not come: its effect stands in a snapshot.
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

  /// Learns, in a replica, that an operation was judged to make no difference.
  public mutating func confirmUnchanged(_ operation: TableOperation, at revision: Revision) {
    advance(to: operation)
    if case .reorder(let difference, _) = operation.kind {
      settle(difference.sources, by: operation.sequence, at: revision)
    }
  }
}

extension Diff {
  /// What the diff's first change takes from where it was: the items that a move or a deletion accepted.
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
