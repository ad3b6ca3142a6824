import BaizeTable
import BaizeWire

/// The participants' own values of presence at a table: the last of each session that has a seat and a connection.
///
/// Each change has a version. A member is sent the values whose version is higher than the last that it was sent, so that
/// a slow one gets only the latest of each.
struct PresenceValues: Sendable {
  private struct Entry: Sendable {
    let session: SessionID
    var value: [UInt8]
    /// The version of the last change that may be sent; 0 for none.
    var version: UInt64
    /// Whether the value has changed since, beyond the rate.
    var isHeld: Bool
  }

  private var entries: [Entry] = []
  /// The version of the last change.
  private(set) var version: UInt64 = 0
  /// Whether some member may have to be sent something at the end of the turn.
  private(set) var hasUnsent = false
  /// Whether some value or some member waits for the next sweep.
  private(set) var isWaiting = false
  /// The rate of changes at this table.
  private var rate = RateLimit()

  /// Sets a session's value.
  ///
  /// - Parameter isWithinRate: Whether it may be sent in this turn. Otherwise the last one is sent after the next sweep.
  mutating func set(_ value: [UInt8], of session: SessionID, isWithinRate: Bool, _ limits: SyncLimits, at now: Instant)
  {
    let index = index(of: session)
    entries[index].value = value
    let perSecond = limits.tables.presencesPerSecondMax
    if isWithinRate, rate.admits(perSecond: perSecond, burst: perSecond, at: now) {
      release(index)
    } else {
      entries[index].isHeld = true
      isWaiting = true
    }
  }

  /// Clears a session's value, for its next connection: others may have the one of the last.
  mutating func clear(_ session: SessionID) {
    let index = index(of: session)
    entries[index].value = []
    release(index)
  }

  /// Forgets a session that has no connection or no seat any more. Its members know from the seats.
  ///
  /// - Returns: Whether it had a value.
  mutating func remove(_ session: SessionID) -> Bool {
    guard let index = entries.firstIndex(where: { $0.session == session }) else { return false }
    entries.remove(at: index)
    return true
  }

  private mutating func index(of session: SessionID) -> Int {
    if let index = entries.firstIndex(where: { $0.session == session }) { return index }
    entries.append(Entry(session: session, value: [], version: 0, isHeld: false))
    return entries.count - 1
  }

  private mutating func release(_ index: Int) {
    version += 1
    entries[index].version = version
    entries[index].isHeld = false
    hasUnsent = true
  }

  /// Releases what has waited for a sweep.
  ///
  /// - Returns: Whether there is anything to send at the end of the turn.
  mutating func sweep() -> Bool {
    guard isWaiting else { return false }
    isWaiting = false
    hasUnsent = true
    for index in entries.indices where entries[index].isHeld { release(index) }
    return true
  }

  /// Notes that every member was sent what it may be sent.
  ///
  /// - Parameter isComplete: Whether none is left out because it reads too slowly.
  mutating func markSent(isComplete: Bool) {
    hasUnsent = false
    if !isComplete { isWaiting = true }
  }

  /// Has the values sent to a member that has become live.
  mutating func markUnsent() { if version > 0 { hasUnsent = true } }

  /// Returns the values that have changed after a version, in the order of their changes.
  func changes(since last: UInt64) -> [(presence: Presence, version: UInt64)] {
    entries.filter { $0.version > last }.sorted { $0.version < $1.version }
      .map { (Presence(session: $0.session, value: $0.value), $0.version) }
  }

  /// The approximate memory in bytes.
  var memoryBytes: Int {
    entries.capacity * MemoryLayout<Entry>.stride + entries.reduce(0) { $0 + $1.value.capacity }
  }
}
