/// The judge's memory of one author's operations: the ids of the items that they made, kept as long as their answers are,
/// and what became of them, kept while operations may arrive that were made before the answers.
public struct AuthorMemory: Hashable, Sendable {
  /// What became of an operation.
  struct Entry: Hashable, Sendable {
    enum Outcome: Hashable, Sendable {
      /// It led to the revision.
      case accepted
      /// It was judged at the revision, and changed nothing.
      case unchanged
      case refused
    }

    let sequence: SequenceNumber
    let revision: Revision
    let outcome: Outcome
    /// Whether it was to put items somewhere.
    let isDrop: Bool
  }

  private struct Made: Hashable, Sendable {
    var sequence: SequenceNumber
    var items: ItemList
  }

  /// The revision since which the author has its seat, or the table is in memory, where views differ. What it did before is not
  /// its own any more: else it would learn what the seat's last holder did with items that it did not see.
  public var seatedAt = Revision.zero

  /// Ascending by sequence; those before ``oldestPending`` are forgotten.
  private var entries: [Entry] = []
  private static let entriesReserved = 15
  /// The number of the author's oldest operation that was pending when it made its last one.
  private var oldestPending: UInt64 = 0
  /// The gaps that the remembered operations named, in a replica alone: where an item was to be that is not there.
  private var gaps: [SequenceNumber: Destination] = [:]
  /// Ascending by sequence.
  private var made: [Made] = []
  private var madeCount = 0
  /// The last operation whose items were forgotten because there were too many.
  private var forgottenMade = SequenceNumber.zero
  /// The number of operations whose answers the session remembers. Their items can be named by provisional ids.
  private let answersMax: UInt64
  /// The number of operations whose answers a session remembers, unless it is configured otherwise.
  public static let answersMaxDefault = 256

  /// Creates the empty memory of a new session.
  ///
  /// - Parameter answersMax: The number of operations whose answers the session remembers.
  public init(answersMax: Int = AuthorMemory.answersMaxDefault) { self.answersMax = UInt64(answersMax) }

  // MARK: Outcomes

  /// Records what became of an operation.
  @inline(__always) mutating func note(
    _ sequence: SequenceNumber, _ outcome: Entry.Outcome, at revision: Revision, isDrop: Bool
  ) {
    if entries.count == entries.capacity { forgetEntries() }
    entries.append(Entry(sequence: sequence, revision: revision, outcome: outcome, isDrop: isDrop))
  }

  /// Records what became of a general operation.
  mutating func note(
    _ operation: TableOperation, _ outcome: Entry.Outcome, at revision: Revision, for role: Table.Role
  ) {
    note(operation.sequence, outcome, at: revision, isDrop: operation.kind.puts)
    if role == .replica { gaps[operation.sequence] = operation.kind.gap }
  }

  /// Records that an operation was refused.
  package mutating func refuse(_ sequence: SequenceNumber, at revision: Revision = .zero) {
    note(sequence, .refused, at: revision, isDrop: false)
  }

  /// Whether no operation is remembered, apart from ids.
  var remembersNothing: Bool { entries.last.map { $0.sequence.rawValue < oldestPending } ?? true }

  /// Returns what became of one of the author's pending operations; `nil` if it is none.
  func entry(_ sequence: SequenceNumber) -> Entry? {
    guard sequence.rawValue >= oldestPending else { return nil }
    let index = entries[...].partitionIndex { $0.sequence >= sequence }
    return index < entries.count && entries[index].sequence == sequence ? entries[index] : nil
  }

  /// Returns, in a replica, the gap that one of the author's pending operations named.
  func gap(of sequence: SequenceNumber) -> Destination? {
    sequence.rawValue >= oldestPending ? gaps[sequence] : nil
  }

  /// Returns whether one of the author's pending operations was refused.
  func isRefused(_ sequence: SequenceNumber) -> Bool { entry(sequence)?.outcome == .refused }

  /// Returns the last of the author's pending operations that led to a revision; `nil` if there is none.
  package func operation(at revision: Revision) -> SequenceNumber? {
    let entry = entries.last { $0.revision == revision && $0.outcome == .accepted && $0.isDrop }
    return entry.flatMap { $0.sequence.rawValue >= oldestPending ? $0.sequence : nil }
  }

  /// The revision that the author's last accepted operation led to, if it is remembered.
  var lastAccepted: Revision { entries.last { $0.outcome == .accepted }?.revision ?? .zero }

  /// Forgets everything that no later operation can refer to: when the author made operation `sequence`,
  /// it had received the answers of all before but `unanswered` ones.
  @inline(__always) mutating func advance(to sequence: SequenceNumber, unanswered: UInt32) {
    let oldest = sequence.rawValue.subtractingReportingOverflow(UInt64(unanswered))
    oldestPending = max(oldestPending, oldest.overflow ? 0 : oldest.partialValue)
  }

  /// Removes the entries that are forgotten, before their array grows.
  @inline(never) private mutating func forgetEntries() {
    var count = 0
    while count < entries.count, entries[count].sequence.rawValue < oldestPending { count += 1 }
    if count == 0, entries.count >= TableLimits.memoryEntriesMax { count = entries.count / 2 }
    entries.removeFirst(count)
    if entries.isEmpty { entries.reserveCapacity(Self.entriesReserved) }
    if !gaps.isEmpty { gaps = gaps.filter { $0.key.rawValue >= oldestPending } }
  }

  // MARK: Ids

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

  /// Forgets, in a replica, what operations after `last` made: the daemon has lost them, and their numbers are given again.
  package mutating func forgetMade(after last: SequenceNumber) {
    made.removeAll { $0.sequence > last }
    madeCount = made.reduce(0) { $0 + $1.items.count }
    forgottenMade = min(forgottenMade, last)
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

  /// Returns whether a pending operation of the author's was to make an item and did not. (What a move gives a new id has none
  /// before its answer.)
  func hasLost(_ provisional: ItemID) -> Bool {
    let sequence = provisional.provisionalOperation
    guard let entry = entry(sequence), entry.isDrop else { return false }
    return entry.outcome == .refused || made.contains { $0.sequence == sequence }
  }

  /// The approximate memory of what is remembered, in bytes.
  package var memoryBytes: Int {
    entries.capacity * MemoryLayout<Entry>.stride + made.capacity * MemoryLayout<Made>.stride
      + madeCount * MemoryLayout<ItemID>.stride
  }
}
