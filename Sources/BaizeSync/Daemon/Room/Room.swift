import BaizeTable
import BaizeWire

/// The members of one table: fan-out, catch-up, backlogs and presence.
///
/// ```
///           snapshot done, tail sent
///   loading ────────────────────────▶ live ◀──────── resuming, in parts
///      ▲                               │ too much unread
///      │ read enough                   ▼
///      ├─────────────────────────── lagging ◀───────── waiting
///      │                                     released      ▲
///      └───────── too many frozen states ──────────────────┘
/// ```
struct Room {
  let epoch: Epoch
  var sharedLimits: SharedLimits
  var limits: SyncLimits { @inline(__always) get { sharedLimits.value } }
  let views: TableType.Views
  /// The members, in no particular order.
  var members: [Member] = []
  /// The number of members that are live, of members that are loading, and of members that are not live and may get their
  /// next part now.
  private(set) var liveCount = 0
  private(set) var loadingCount = 0
  private(set) var readyCount = 0
  /// The index of the member that is considered first for its next part.
  var nextToProduce = 0
  /// The record of the present turn and, where all views are complete, the records that clients catch up from.
  var log: RecordLog
  /// By how much the diffs' entries in ``log`` are longer than what they count as in ``writtenBytes``.
  private var uncountedBytes = 0
  /// The size that a hidden face counts, in bytes.
  private let faceBytes: Int
  /// The states that snapshots are being made from.
  var frozen = FrozenStates()
  /// The logs that clients catch up from where views are not complete; `nil` elsewhere.
  var viewLogs: ViewLogs?
  /// The log's position of the first move that is published and not sent; `nil` if all moves are sent.
  var unsentStart: RecordLog.Position?
  var claims = Claims()
  /// The participants' own values of presence, and the rate of messages to the table.
  var values = PresenceValues()
  var chatRate = RateLimit()
  /// The hashes of views at the present revision, as far as pings have asked for them.
  var hashes = ViewHashes()
  /// Whether the members have yet to receive the present seats and connections.
  var hasNewPresence = false
  var watchers = Watchers()
  /// Whether members have become live since the time that is left was announced.
  var hasNewMembers = false
  private(set) var turnCount = 1
  /// The time since which there are no members; `nil` while there are any.
  var emptySince: Instant?

  init(epoch: Epoch, of state: TableState, limits: SharedLimits) {
    self.epoch = epoch
    sharedLimits = limits
    views = state.type.views
    log = RecordLog(at: state.revision)
    faceBytes = state.type.faceBytes ?? 0
    if views != .complete { viewLogs = ViewLogs(at: state.revision, views: views, seatsMax: state.type.seatsMax) }
  }

  // MARK: Members

  mutating func add(_ member: Member) -> Int {
    precondition(unsentStart == nil, "a member joined: moves from \(unsentStart ?? 0) are unsent")
    members.append(member)
    count(members.count - 1, by: 1)
    watchers.note(member)
    emptySince = nil
    return members.count - 1
  }

  /// Removes a member; the last one gets its index.
  mutating func remove(_ member: Int, at now: Instant? = nil) {
    precondition(unsentStart == nil, "member \(member) left: moves from \(unsentStart ?? 0) are unsent")
    count(member, by: -1)
    watchers.note(members[member])
    members.swapAt(member, members.count - 1)
    members.removeLast()
    if members.isEmpty, let now { emptySince = now }
  }

  func member(ofSession slot: Int) -> Int? { members.firstIndex { $0.session == slot } }

  mutating func setPhase(_ phase: Member.Phase, of member: Int) {
    precondition(unsentStart == nil, "member \(member) became \(phase): moves from \(unsentStart ?? 0) are unsent")
    let wasLive = members[member].isLive
    count(member, by: -1)
    members[member].phase = phase
    count(member, by: 1)
    if wasLive, !members[member].isLive { members[member].draggersSeen = claims.drags.map(\.drag.session) }
  }

  private mutating func count(_ member: Int, by step: Int) {
    if members[member].isLive { liveCount += step }
    if members[member].isLoading { loadingCount += step }
    if isReady(member) { readyCount += step }
  }

  /// Returns whether a member is not live and has room in its outbox for the next part.
  func isReady(_ member: Int) -> Bool {
    !members[member].isLive && !members[member].isWaiting
      && members[member].backlog.bytes <= limits.connections.outboxResumeBytes
  }

  /// Whether any member waits for a part of a snapshot that may be produced now.
  var hasPartsToProduce: Bool { readyCount > 0 }

  // MARK: Backpressure

  /// Receives the host's report of a member's unsent output.
  mutating func reportBacklog(of member: Int, _ bytes: Int, taken: Int, at now: Instant) {
    count(member, by: -1)
    members[member].backlog.report(bytes, taken: taken, at: now, limits)
    count(member, by: 1)
    if members[member].isLive, bytes > limits.connections.outboxHardBytes { setPhase(.lagging, of: member) }
  }

  func isStalled(_ member: Int, at now: Instant) -> Bool { members[member].backlog.isStalled(at: now, limits) }

  // MARK: Memory

  /// Returns the approximate memory of the log, the members and the states that are pinned for them, in bytes.
  func memoryBytes(of state: TableState) -> Int {
    log.memoryBytes + (viewLogs?.memoryBytes ?? 0) + members.capacity * MemoryLayout<Member>.stride
      + values.memoryBytes + frozen.pinnedBytes(besides: state)
  }

  // MARK: The turn

  mutating func endTurn() {
    turnCount += 1
    if !frozen.isEmpty { releaseFrozen() }
  }

  /// Ends the turn's record, which led to `revision`.
  mutating func closeRecord(at revision: Revision) {
    guard !log.isOpenEmpty else { return }
    guard let seats = viewLogs?.seats else {
      log.closeTurn(
        at: revision, revisionsMax: loadingCount > 0 ? .max : TableLimits.historyRevisionsMax,
        bytesMax: loadingCount > 0 ? limits.tables.logBytesWhileLoadingMax : limits.tables.logBytesMax)
      return
    }
    let recordBytes = Mutation.log.isActive ? log.open.count : 0
    log.closeTurn(at: revision, revisionsMax: 0, bytesMax: 0)
    for seat in seats {
      // The members of other views and the time that their snapshots take are hidden, too.
      let isLoading = loadingCount > 0 && members.contains { $0.isLoading && (views == .sameForAll || $0.seat == seat) }
      let bytesMax = isLoading ? limits.tables.logBytesWhileLoadingMax : limits.tables.logBytesMax
      viewLogs?.withLog(of: seat) {
        $0.closeTurn(
          at: revision, revisionsMax: isLoading ? .max : TableLimits.historyRevisionsMax,
          bytesMax: bytesMax / seats.count - recordBytes)
      }
    }
  }

  // MARK: Written bytes

  /// The bytes that operations and sessions have had recorded so far, as their addresses are charged for them: of a diff what its
  /// author receives and, for each hidden face ``TableType/faceBytes``. So no author learns the size of a face by its account.
  var writtenBytes: Int { log.end - uncountedBytes }

  /// Counts the entry of a diff, of which the author receives a frame.
  mutating func count(entry bytes: Int, as frame: Range<Int>, of diff: Diff) {
    uncountedBytes += bytes - frame.count - diff.hiddenFaceCount * faceBytes
  }

  // MARK: Logs

  /// Returns the log that a client of a seat catches up from; `nil` if there is none yet.
  func log(for seat: SeatNumber) -> RecordLog? {
    guard let viewLogs else { return log }
    return viewLogs[seatOfLog(for: seat)]
  }

  private func seatOfLog(for seat: SeatNumber) -> SeatNumber {
    Mutation.seat.isActive ? SeatNumber(rawValue: 1) : seat
  }

  /// Returns the log that a member catches up from.
  func log(of member: Int) -> RecordLog {
    let seat = members[member].seat
    guard let log = log(for: seat) else { preconditionFailure("the view of seat \(seat) has no log") }
    return log
  }

  /// Begins the log of a member's view, unless there is one.
  mutating func openLog(of member: Int, at revision: Revision) {
    let seat = seatOfLog(for: members[member].seat)
    viewLogs?.open(seat, at: revision)
  }

  /// Begins the log of a seat's view anew for another holder. No member has that seat.
  mutating func restartLog(of seat: SeatNumber, at revision: Revision) { viewLogs?.restart(seat, at: revision) }

  /// Records a frame as what the view of a seat received; for ``SeatNumber/spectator`` what all do, if all see the same.
  mutating func record(_ frame: Range<Int>, for seat: SeatNumber, from batch: FrameBatch) {
    viewLogs?.withLog(of: seat) { batch.record(frame, in: &$0) }
  }

  /// Records the answer to an operation without a diff.
  mutating func record(_ outcome: Outcome, of session: SessionID, _ member: Int) {
    JournalEntry.outcome(session, outcome).append(to: &log)
    // Others may not learn the reason of a refusal by its size: the session's answers have it.
    let reference = JournalEntry.outcome(
      session, Outcome(sequence: outcome.sequence, verdict: .unchanged, revision: .zero))
    viewLogs?.withLog(of: members[member].seat) { _ = reference.append(to: &$0) }
  }
}
