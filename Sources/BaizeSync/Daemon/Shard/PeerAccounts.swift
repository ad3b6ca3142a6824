import BaizeTable

/// What the peers of a shard have made it keep: tables that they created, and bytes that they had written to the journal.
///
/// ```
/// a hello that creates a table ─▶ a table, and the size of its set-up    ─┐
/// what a connection records    ─▶ its bytes, in steps and once a second  ─┴▶ the account of the connection's peer
/// ```
struct PeerAccounts {
  fileprivate struct Account {
    /// The number of tables in memory that it has created.
    var tables = 0
    var creations = RateLimit()
    var written = WrittenBytes()
  }

  private var accounts: [PeerID: Account] = [:]

  var count: Int { accounts.count }

  /// The creators of the tables in memory that were created since the daemon started.
  private var creators: [String: PeerID] = [:]
  /// The number of accounts at which idle ones are removed.
  private var removesIdleAt = Self.removesIdleAtMin
  private static let removesIdleAtMin = 1_024

  /// Whether some peer may not have more written, so that the sweep looks at the connections of all.
  private(set) var hasFull = false
  private var hasFoundFull = false

  // MARK: Tables

  enum CreationVerdict {
    case allowed
    /// Too many within a short time.
    case later
    case tooMany
    /// Too many bytes written.
    case storage
  }

  /// Counts a table of so many bytes, if its creator may create it.
  mutating func create(
    _ table: String, of bytes: Int, by peer: PeerID, _ limits: SyncLimits, at now: Instant
  ) -> CreationVerdict {
    removed(table)
    var account = accounts[peer] ?? Account()
    guard account.tables < limits.tables.tablesPerAddressMax else { return .tooMany }
    guard !account.written.isFull(limits.journal, at: now) else { return .storage }
    guard
      account.creations.admits(
        perSecond: limits.tables.tablesPerSecondMax, burst: limits.tables.tablesBurstMax, at: now)
    else { return .later }
    account.tables += 1
    account.written.add(bytes, limits.journal, at: now)
    accounts[peer] = account
    creators[table] = peer
    return .allowed
  }

  /// Stops counting a table that is no longer in memory.
  mutating func removed(_ table: String) {
    guard let peer = creators.removeValue(forKey: table) else { return }
    accounts[peer]?.tables -= 1
  }

  // MARK: Written bytes

  /// Charges a peer for what its connection has had written.
  ///
  /// - Returns: Whether it may have more written.
  mutating func charge(_ peer: PeerID, _ bytes: Int, _ limits: SyncLimits, at now: Instant) -> Bool {
    guard bytes > 0 || accounts[peer] != nil else { return true }
    accounts[peer, default: Account()].written.add(bytes, limits.journal, at: now)
    guard accounts[peer]?.written.isFull(limits.journal, at: now) == true else { return true }
    hasFull = true
    hasFoundFull = true
    return false
  }

  // MARK: Sweeping

  /// Ends a sweep that has charged for all connections.
  mutating func endSweep(_ limits: SyncLimits, at now: Instant) {
    hasFull = hasFoundFull
    hasFoundFull = false
    removeIdle(limits, at: now)
  }

  /// Removes the accounts that say nothing any more, once they may be half of all.
  private mutating func removeIdle(_ limits: SyncLimits, at now: Instant) {
    guard accounts.count >= removesIdleAt else { return }
    accounts = accounts.filter { !$0.value.isIdle(limits, at: now) }
    removesIdleAt = max(Self.removesIdleAtMin, 2 * accounts.count)
  }
}

extension PeerAccounts.Account {
  fileprivate func isIdle(_ limits: SyncLimits, at now: Instant) -> Bool {
    tables == 0 && creations.isIdle(at: now) && written.isEmpty(limits.journal, at: now)
  }
}

/// The bytes that a peer had written, of which the limit is forgotten evenly within a day (a leaky bucket).
private struct WrittenBytes {
  private var bytes = 0
  private var since = Instant(nanoseconds: 0)

  private func bytes(_ limits: SyncLimits.Journal, at now: Instant) -> Int {
    let seconds = Double(now.milliseconds(since: since)) / 1_000
    return max(0, bytes - Int(seconds / Double(limits.bytesPerAddressSeconds) * Double(limits.bytesPerAddressMax)))
  }

  mutating func add(_ more: Int, _ limits: SyncLimits.Journal, at now: Instant) {
    bytes = bytes(limits, at: now) + more
    since = now
  }

  func isFull(_ limits: SyncLimits.Journal, at now: Instant) -> Bool {
    bytes(limits, at: now) >= limits.bytesPerAddressMax
  }

  func isEmpty(_ limits: SyncLimits.Journal, at now: Instant) -> Bool { bytes(limits, at: now) == 0 }
}
