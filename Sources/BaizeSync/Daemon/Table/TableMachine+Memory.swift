import BaizeTable

/// The memory of a table, and what is given up while memory is short (I8).
extension TableMachine {
  /// The approximate memory of the table and its sessions, in bytes.
  ///
  /// - Complexity: O(1), with the sessions as last counted.
  var memoryBytes: Int {
    ServerLimits.tableBytes + table.memoryBytes + room.memoryBytes(of: table.state) + sessionBytes
      + (journal?.memoryBytes(of: table.state) ?? 0)
  }

  /// Returns whether it has come to remember much since it was last charged: moves add nothing to its contents.
  ///
  /// Mutating only to get the table in place: a copy takes a thousand instructions.
  mutating func remembersMuch() -> Bool {
    table.historyBytes - chargedHistoryBytes > ServerLimits.unchargedHistoryBytesMax
  }

  /// Counts the sessions, and charges those who opened them for their memory.
  ///
  /// - Complexity: O(number of sessions).
  mutating func countSessions() {
    var (all, sum) = (0, UInt64(0))
    for slot in sessions.indices {
      sessions.with(slot) { session in
        let bytes = session.memoryBytes
        all += bytes
        if !session.isForgotten { sum &+= UInt64(bytes) &* (session.account.rawValue | 1) }
      }
    }
    sessionBytes = all
    guard sum != sessionsSum else { return }
    sessionsSum = sum
    chargeSessions()
  }

  /// Returns the approximate memory of one session, in bytes, without copying it.
  mutating func memoryBytes(ofSession slot: Int) -> Int { sessions.with(slot) { $0.memoryBytes } }

  /// Gives up, while memory is short, what the table's rules allow to be forgotten at any time.
  mutating func shed(into batch: FrameBatch) {
    shedHistory(into: batch)
    forgetAbsentSpectators { _ in true }
  }

  /// Forgets what was, but for the last revisions.
  mutating func shedHistory(into batch: FrameBatch) {
    room.sendMoves(into: batch)
    table.forgetHistory()
    room.log.forgetAll()
    room.viewLogs?.forEach { $0.forgetAll() }
  }

  /// Forgets the sessions of some accounts that have neither a connection nor a seat.
  mutating func forgetAbsentSpectators(_ isIncluded: (AccountKey) -> Bool) {
    guard isWritable else { return }
    for slot in sessions.indices
    where sessions[slot].lostSince != nil && sessions[slot].seat == .spectator && isIncluded(sessions[slot].account) {
      forget(slot)
    }
  }

  /// Returns memory that was needed for more than there is now, if nothing has happened since the last sweep.
  ///
  /// - Returns: The work, in visits of the sweep.
  mutating func shrinkIfQuiet() -> Int {
    defer { sweptEnd = room.log.end }
    guard sweptEnd == room.log.end else { return 0 }
    let before = table.historyBytes + room.log.memoryBytes
    table.shrink()
    room.log.shrink()
    room.viewLogs?.forEach { $0.shrink() }
    var work = before > table.historyBytes + room.log.memoryBytes ? before / ServerLimits.bytesPerVisit : 0
    // The others follow at the next sweeps.
    var left = Self.packedSessionsMax
    for slot in sessions.indices where left > 0 && !sessions[slot].isConnected && sessions[slot].answers.wantsPacking {
      work += packAnswers(of: slot)
      left -= 1
    }
    return work
  }

  /// Makes a session's answers take less memory.
  ///
  /// - Returns: The work, in visits of the sweep.
  mutating func packAnswers(of slot: Int) -> Int {
    guard sessions[slot].answers.wantsPacking else { return 0 }
    sessions[slot].answers.pack()
    return Self.visitsPerPacking
  }

  private static let packedSessionsMax = 32
  private static let visitsPerPacking = 64
}
