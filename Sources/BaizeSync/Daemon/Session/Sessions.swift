import BaizeTable
import BaizeWire

/// The sessions of one table, by slot. A slot is reused when its session is forgotten; a session's id never is.
struct Sessions: Sendable {
  private var slots: [Session] = []
  /// Ascending by id: most tables have few sessions, for which a dictionary takes twice the memory.
  private var slotsByID: [(id: SessionID, slot: Int32)] = []
  /// Ascending by the hash of their credential, then by age; without those that have none.
  private var slotsByCredential: [(credential: CredentialHash, slot: Int32)] = []
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

  // MARK: Persons

  /// Returns the sessions of the person with a credential, the oldest first.
  ///
  /// - Complexity: O(log n + m) for n sessions, of which m are the person's.
  func slots(of credential: CredentialHash) -> [Int] {
    slotsByCredential[position(of: credential)...].prefix { $0.credential == credential }.map { Int($0.slot) }
  }

  /// Returns the sessions of a person: all that share its seat.
  ///
  /// - Complexity: O(log n + m) for one who has the first session yet, else O(n).
  func slots(ofPerson person: SessionID) -> [Int] {
    guard person != .daemon else { return [] }
    let known = slot(of: person) ?? slotsByID.lazy.map { Int($0.slot) }.first { slots[$0].person == person }
    guard let known else { return [] }
    return slots[known].identity.credential.map(slots(of:)) ?? [known]
  }

  /// Returns whether one of a person's sessions is connected.
  func isConnected(person: SessionID) -> Bool { slots(ofPerson: person).contains { slots[$0].isConnected } }

  /// The time at which a person's last connection was lost; `nil` while one of the sessions is connected.
  func lostSince(person: SessionID) -> Instant? {
    let persons = slots(ofPerson: person)
    guard !persons.contains(where: { slots[$0].isConnected }) else { return nil }
    return persons.compactMap { slots[$0].lostSince }.max()
  }

  private func position(of credential: CredentialHash) -> Int {
    var (low, high) = (0, slotsByCredential.count)
    while low < high {
      let middle = (low + high) / 2
      if slotsByCredential[middle].credential < credential { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Adds a new or restored session.
  mutating func insert(_ session: Session) -> Int {
    reserveID(session.id)
    let slot = freeSlots.popLast() ?? slots.count
    if slot == slots.count { slots.append(session) } else { slots[slot] = session }
    slotsByID.insert((session.id, Int32(slot)), at: position(of: session.id))
    if let credential = session.identity.credential {
      slotsByCredential.insert((credential, Int32(slot)), at: position(of: credential) + slots(of: credential).count)
    }
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
    if let credential = slots[slot].identity.credential {
      let position = slotsByCredential[position(of: credential)...].firstIndex { $0.slot == slot }
      if let position { slotsByCredential.remove(at: position) }
    }
    slots[slot].connectivity = .forgotten
    slots[slot].answers = Answers()
    slots[slot].memory = AuthorMemory()
    freeSlots.append(slot)
    return true
  }

  /// Returns the slot of the session that has been disconnected longest, among those with such a seat.
  func longestAbsent(where isIncluded: (SeatNumber) -> Bool) -> Int? {
    longestAbsent(among: slots.indices.filter { isIncluded(slots[$0].seat) })
  }

  /// Returns the session that has been disconnected longest; `nil` if all are connected.
  func longestAbsent(among candidates: [Int]) -> Int? {
    let absent = candidates.compactMap { slot in slots[slot].lostSince.map { (slot: slot, since: $0) } }
    return absent.min { $0.since < $1.since }?.slot
  }
}
