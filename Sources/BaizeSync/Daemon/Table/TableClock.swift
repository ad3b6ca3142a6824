import BaizeTable
import BaizeWire

/// The time that is left of a table's limits.
///
/// The table's machine updates it after each turn (``update(_:at:)``), and asks in each sweep whether a time is up
/// (``due(at:)``). It is not journalled: a table that is loaded has the full time.
struct TableClock {
  private var turn: Timer?
  private var table: Timer?
  /// The seat whose turn it was at the last update.
  private var seat: SeatNumber?
  /// Whether since the last update the turn has passed, perhaps back to the same seat, or another variable has renewed a time.
  private var isTurnRenewed = false
  private var isTableRenewed = false
  /// The number of times that a time was up since a participant's last operation.
  private var expiriesInARow = 0
  /// The times that were up since the last announcement.
  private var news: Countdown?
  /// Whether a time has begun, paused, stopped or been up since the last announcement.
  private(set) var hasChanged = false

  /// One of a table's two limits.
  enum Kind { case turn, table }

  /// The conditions that decide whether the time runs.
  struct Conditions {
    /// Whether the limit of the turn, and that of the table, may run as far as the table's contents decide it.
    var runsTurn: Bool
    var runsTable: Bool
    /// The seat whose turn it is.
    var seat: SeatNumber?
    /// Whether a player is connected who may have more written (``Member/keepsTime``). While there is none, the time pauses.
    var hasPlayers: Bool
    /// Whether the disk accepts writes. While it does not, no time runs, and the full time begins afterwards.
    var isWritable: Bool
    var limits: SyncLimits.Tables
  }

  private struct Timer {
    let milliseconds: UInt64
    var state = State.stopped

    enum State: Hashable {
      case stopped
      case running(until: Instant)
      case paused(milliseconds: UInt64)
    }

    init(_ limit: TimeLimit) { milliseconds = UInt64(limit.seconds) * 1_000 }

    mutating func update(runs: Bool, isPaused: Bool, resumedMillisecondsMin: UInt64, at now: Instant) {
      guard runs else { return state = .stopped }
      switch state {
      case .stopped:
        if !isPaused { state = .running(until: now.advanced(byMilliseconds: milliseconds)) }
      case .running(let end):
        if isPaused { state = .paused(milliseconds: end.milliseconds(since: now)) }
      case .paused(let left):
        let least = min(milliseconds, resumedMillisecondsMin)
        if !isPaused { state = .running(until: now.advanced(byMilliseconds: max(left, least))) }
      }
    }

    func isUp(at now: Instant) -> Bool { if case .running(let end) = state { now >= end } else { false } }

    /// Returns the time left, at least 1 while it runs; 0 if it does not run.
    func left(at now: Instant) -> UInt32 {
      guard case .running(let end) = state else { return 0 }
      return UInt32(clamping: max(1, end.milliseconds(since: now)))
    }
  }

  /// Creates the clock of a table type; `nil` if it has no limits.
  init?(_ limits: TimeLimits) {
    guard limits.turn != nil || limits.table != nil else { return nil }
    turn = limits.turn.map { Timer($0) }
    table = limits.table.map { Timer($0) }
  }

  // MARK: Events of the table

  /// Notes a diff.
  ///
  /// - Parameter isParticipants: Whether it is of an operation of a participant's, and not the daemon's own.
  mutating func note(_ diff: Diff, isParticipants: Bool, _ limits: TimeLimits) {
    if isParticipants { expiriesInARow = 0 }
    for case .variables(let variables) in diff.changes {
      for variable in variables {
        if variable.name.hasBytes(of: TableState.turnVariable) || limits.turn?.isRenewed(by: variable) == true {
          isTurnRenewed = true
        }
        if limits.table?.isRenewed(by: variable) == true { isTableRenewed = true }
      }
    }
  }

  /// Starts, pauses and stops the time.
  mutating func update(_ conditions: Conditions, at now: Instant) {
    let before = (turn?.state, table?.state)
    if isTurnRenewed || conditions.seat != seat || !conditions.isWritable { turn?.state = .stopped }
    if isTableRenewed || !conditions.isWritable { table?.state = .stopped }
    (seat, isTurnRenewed, isTableRenewed) = (conditions.seat, false, false)
    let isStopped = expiriesInARow >= conditions.limits.expiriesInARowMax
    let isPaused = !conditions.hasPlayers || !conditions.isWritable
    let least = conditions.limits.resumedSecondsMin * 1_000
    turn?.update(
      runs: conditions.runsTurn && !isStopped, isPaused: isPaused, resumedMillisecondsMin: least, at: now)
    table?.update(
      runs: conditions.runsTable && !isStopped, isPaused: isPaused, resumedMillisecondsMin: least, at: now)
    if before.0 != turn?.state || before.1 != table?.state { hasChanged = true }
  }

  // MARK: Time that is up

  /// Returns the limit whose time is up; the table's before the turn's.
  func due(at now: Instant) -> Kind? {
    if table?.isUp(at: now) == true { return .table }
    return turn?.isUp(at: now) == true ? .turn : nil
  }

  /// Stops a time that is up. The next update begins it anew.
  mutating func expire(_ kind: Kind) {
    expiriesInARow += 1
    hasChanged = true
    var news = news ?? Countdown()
    news.seat = seat ?? .spectator
    switch kind {
    case .turn:
      turn?.state = .stopped
      news.isTurnUp = true
    case .table:
      table?.state = .stopped
      news.isTableUp = true
    }
    self.news = news
  }

  // MARK: Announcements

  /// Returns the time that is left.
  func countdown(at now: Instant) -> Countdown {
    Countdown(turnMilliseconds: turn?.left(at: now) ?? 0, tableMilliseconds: table?.left(at: now) ?? 0)
  }

  /// Returns the time that is left, with what was up since the last announcement.
  mutating func announce(at now: Instant) -> Countdown {
    var countdown = countdown(at: now)
    if let news {
      (countdown.isTurnUp, countdown.isTableUp, countdown.seat) = (news.isTurnUp, news.isTableUp, news.seat)
    }
    news = nil
    hasChanged = false
    return countdown
  }
}

extension TimeLimit {
  fileprivate func isRenewed(by variable: Attribute) -> Bool { renewedBy.contains { $0.hasBytes(of: variable.name) } }
}
