import BaizeTable
import BaizeWire

/// The sessions of one table, by slot. A slot is reused when its session is forgotten; a session's id never is.
struct Sessions: Sendable {
  private var slots: [Session] = []
  /// Ascending by id: most tables have few sessions, for which a dictionary takes twice the memory.
  private var slotsByID: [(id: SessionID, slot: Int32)] = []
  private var freeSlots: [Int] = []
  /// The highest id that was ever assigned.
  private(set) var lastID = SessionID.daemon

  /// The number of sessions that are remembered.
  var count: Int { slotsByID.count }
  /// The slots, free ones included.
  var indices: Range<Int> { slots.indices }
  /// A copy of all slots, free ones included.
  var snapshot: [Session] { slots }
  var nextID: SessionID { SessionID(rawValue: lastID.rawValue + 1) }

  // Not `_read`: an unoptimised build reads large fields of what a coroutine lent after the coroutine has ended.
  subscript(slot: Int) -> Session {
    @inline(__always) get { slots[slot] }
    @inline(__always) _modify { yield &slots[slot] }
  }

  /// Lends a session without the coroutine of an array's subscript.
  @inline(__always) mutating func with<Result, Failure: Error>(
    _ slot: Int, _ body: (inout Session) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try slots.withUnsafeMutableBufferPointer { (slots) throws(Failure) in try body(&slots[slot]) }
  }

  /// - Complexity: O(log n).
  func slot(of id: SessionID) -> Int? {
    let position = position(of: id)
    guard position < slotsByID.count, slotsByID[position].id == id else { return nil }
    return Int(slotsByID[position].slot)
  }

  /// Returns the position of an id among all, or the one at which it belongs.
  private func position(of id: SessionID) -> Int {
    var (low, high) = (0, slotsByID.count)
    while low < high {
      let middle = (low + high) / 2
      if slotsByID[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the session that a token opens, and the token itself.
  func find(_ token: [UInt8]) throws(Rejection) -> (slot: Int, token: ResumeToken) {
    // One text for both: a client that guesses must not learn which sessions exist.
    guard let id = ResumeToken.session(of: token), let slot = slot(of: id),
      let valid = slots[slot].credentials.matching(token)
    else { throw Rejection.unknownToken }
    return (slot, valid)
  }

  /// Adds a new or restored session.
  mutating func insert(_ session: Session) -> Int {
    reserveID(session.id)
    let slot = freeSlots.popLast() ?? slots.count
    if slot == slots.count { slots.append(session) } else { slots[slot] = session }
    slotsByID.insert((session.id, Int32(slot)), at: position(of: session.id))
    return slot
  }

  /// Marks all sessions as disconnected.
  mutating func markLost(since now: Instant) {
    for slot in slots.indices { slots[slot].connectivity = .lost(since: now) }
  }

  /// Ensures that ids up to this one are not assigned again.
  mutating func reserveID(_ id: SessionID) { lastID = max(lastID, id) }

  /// Removes a session and frees its slot.
  ///
  /// - Returns: Whether there was one.
  mutating func forget(_ slot: Int) -> Bool {
    guard self.slot(of: slots[slot].id) == slot else { return false }
    slotsByID.remove(at: position(of: slots[slot].id))
    slots[slot].connectivity = .forgotten
    slots[slot].answers = Answers()
    slots[slot].memory = AuthorMemory()
    freeSlots.append(slot)
    return true
  }

  /// Returns the slot of the session that has been disconnected longest, among those with such a seat.
  func longestAbsent(where isIncluded: (SeatNumber) -> Bool) -> Int? {
    let absent = slots.indices.filter { slots[$0].lostSince != nil && isIncluded(slots[$0].seat) }
    return absent.min { absence(of: $0) < absence(of: $1) }
  }

  private func absence(of slot: Int) -> Instant { slots[slot].lostSince ?? Instant(nanoseconds: .max) }
}
