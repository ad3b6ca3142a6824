import BaizeTable

/// The part of a client machine that a session store needs besides the replica and the welcome. A machine without a store
/// has none.
struct Keeping: Sendable {
  /// The session as it was stored, until this process receives a welcome.
  var session: ClientRecord.Session?
  /// The stored operations and the epoch of their numbers, until this process has a snapshot to show them on.
  var waiting: [ClientRecord.Pending]
  var waitingEpoch: Epoch
  /// The outcomes of the last operations, oldest first.
  private(set) var outcomes: [ClientRecord.Outcome]
  private var itemCount: Int
  /// Whether the store must be written before anything else is sent.
  var isUnsaved = false
  /// Whether the session has ended for good, by the app's wish or the host's.
  var hasLeft = false
  /// Whether the machine has ended and has reported its pending operations as unknown.
  var isPendingAnswered = false
  /// The time at which the store is written even if nothing is sent.
  var saveAt: Instant?

  init(_ record: ClientRecord) {
    session = record.session
    waiting = record.pending
    waitingEpoch = record.epoch
    outcomes = record.outcomes
    itemCount = outcomes.reduce(0) { $0 + $1.status.itemCount }
    // Who is not stored could not come back.
    isUnsaved = record.identity == nil
  }

  /// Records an outcome, and forgets the oldest ones beyond the limits.
  mutating func note(_ outcome: ClientRecord.Outcome) {
    outcomes.append(outcome)
    itemCount += outcome.status.itemCount
    if outcomes.count > ClientLimits.outcomesMax { itemCount -= outcomes.removeFirst().status.itemCount }
    guard itemCount > ClientLimits.outcomeItemsMax else { return }
    for index in outcomes.indices.dropLast() {
      guard itemCount > ClientLimits.outcomeItemsMax else { return }
      guard case .accepted(let revision, let items) = outcomes[index].status else { continue }
      outcomes[index].status = .accepted(revision, items: [])
      itemCount -= items.count
    }
  }

  /// Forgets what belongs to a session that is lost. The outcomes remain, without their numbers.
  mutating func forgetSession() {
    session = nil
    waiting = []
    for index in outcomes.indices { outcomes[index].sequence = .zero }
  }

  /// Notes the seat under which the stored operations were made.
  mutating func noteSeat(_ seat: SeatNumber) {
    for index in waiting.indices { waiting[index].operation.noteSeat(seat) }
  }

  /// Forgets the numbers of outcomes after `last`: they are given again. The outcomes remain.
  mutating func forgetNumbers(after last: SequenceNumber) {
    for index in outcomes.indices where outcomes[index].sequence > last { outcomes[index].sequence = .zero }
  }

  mutating func willSave() {
    isUnsaved = false
    saveAt = nil
  }

  mutating func saveFailed() { isUnsaved = true }

  /// The ids of the items that this session's operations made, by their numbers.
  var made: AuthorMemory? {
    var memory: AuthorMemory?
    var last = SequenceNumber.zero
    for outcome in outcomes where outcome.sequence > last {
      guard case .accepted(_, let items) = outcome.status, !items.isEmpty else { continue }
      last = outcome.sequence
      memory = memory ?? AuthorMemory()
      memory?.restore(ItemList(items), of: outcome.sequence)
    }
    return memory
  }
}
