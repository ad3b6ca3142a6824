/// What the judge remembers of one author's operations, for as long as operations may come that were made before their
/// answers: the ids of what they made, and the items that are not where their author put them.
public struct AuthorMemory: Hashable, Sendable {
  private struct Displaced: Hashable, Sendable {
    var sequence: SequenceNumber
    var revision: Revision
    var item: ItemID
  }

  private struct Made: Hashable, Sendable {
    var sequence: SequenceNumber
    var items: [ItemID]
  }

  private var displaced: [Displaced] = []
  private var made: [Made] = []
  /// The last operation that was judged.
  private(set) var last = SequenceNumber.zero

  /// Nothing: the memory of a new session.
  public init() {}

  /// Notes that `item` is not where operation `sequence`, judged at `revision`, would have put it.
  mutating func displace(_ item: ItemID, by sequence: SequenceNumber, at revision: Revision) {
    displaced.append(Displaced(sequence: sequence, revision: revision, item: item))
    if displaced.count > TableLimits.memoryEntriesMax { displaced.removeFirst(displaced.count / 2) }
  }

  /// Notes the ids of what operation `sequence` made; ``ItemID/none`` for what was not accepted.
  mutating func make(_ items: [ItemID], by sequence: SequenceNumber) {
    guard !items.isEmpty else { return }
    made.append(Made(sequence: sequence, items: items))
    if made.count > TableLimits.memoryEntriesMax { made.removeFirst(made.count / 2) }
  }

  /// Forgets what no later operation can refer to: `operation` knew the answers of all but its unanswered ones.
  mutating func advance(to operation: TableOperation) {
    last = operation.sequence
    guard !displaced.isEmpty || !made.isEmpty else { return }
    let oldest = operation.sequence.rawValue.subtractingReportingOverflow(UInt64(operation.unanswered))
    let first = SequenceNumber(rawValue: oldest.overflow ? 0 : oldest.partialValue)
    displaced.removeAll { $0.sequence < first }
    made.removeAll { $0.sequence < first }
  }

  /// The revision of the last of the operations unanswered at `operation` that left `item` elsewhere than asked.
  func displacement(of item: ItemID, seenFrom operation: TableOperation) -> Revision? {
    displaced.last { $0.item == item }?.revision
  }

  /// The table's id for a provisional one; `nil` where its operation made no such item.
  func resolve(_ provisional: ItemID) -> ItemID? {
    guard let items = made.last(where: { $0.sequence == provisional.provisionalOperation })?.items,
      items.indices.contains(provisional.provisionalNumber)
    else { return nil }
    let item = items[provisional.provisionalNumber]
    return item == .none ? nil : item
  }
}

extension AuthorMemory {
  /// Learns, in a replica, that an operation was accepted: the same that the authority noted when it judged.
  public mutating func confirm(_ operation: TableOperation, _ diff: Diff) {
    advance(to: operation)
    make(diff.minted, by: operation.sequence)
    if diff.isRedirected || diff.leavesOut(operation) { displace(operation, at: diff.revision) }
    if diff.isRedirected, case .insert = operation.kind {
      for id in diff.minted { displace(id, by: operation.sequence, at: diff.revision) }
    }
  }

  /// Learns, in a replica, that an operation was judged and made no diff.
  public mutating func conclude(_ operation: TableOperation, isRefused: Bool, at revision: Revision) {
    advance(to: operation)
    if isRefused { displace(operation, at: revision) }
  }
}

extension Diff {
  /// Whether a move took fewer items than it was asked for.
  fileprivate func leavesOut(_ operation: TableOperation) -> Bool {
    guard case .reorder(let difference, _) = operation.kind, self.operation == .move else { return false }
    for change in changes {
      if case .moved(let items, _) = change { return items.count < difference.sources.count }
    }
    return false
  }
}
