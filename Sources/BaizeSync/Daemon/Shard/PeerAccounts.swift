import BaizeTable

/// The accounts of what the peers of a shard have made it keep: tables that they created, and bytes that they had written
/// to the journal.
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
  /// The peers with accounts, in no particular order.
  private var peers: [PeerID] = []
  /// The index in `peers` of the next account that is removed if it is idle.
  private var hand = 0
  private let countMax: Int

  /// - Parameter countMax: The maximum number of accounts. Further peers share that of ``PeerID/unknown``.
  init(countMax: Int = ServerLimits.accountsMax) { self.countMax = countMax }

  var count: Int { accounts.count }

  /// The creators of the tables in memory that were created since the daemon started.
  private var creators: [String: PeerID] = [:]
  var used = UsedShares()
  /// The most of one account, of each kind, as of the last visit to all.
  private(set) var most = PeerLoad(peer: .unknown)
  private var mostSoFar = PeerLoad(peer: .unknown)
  /// The index in `peers` of the next account that is measured.
  private var measured = 0

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
    let peer = open(peer, limits, at: now)
    var account = accounts[peer] ?? Account()
    guard account.tables < limits.tables.tablesPerAddressMax else {
      used.note(.tables, of: peer, at: now)
      return .tooMany
    }
    guard !account.written.isFull(limits.journal, at: now) else {
      used.note(.writtenBytes, of: peer, at: now)
      return .storage
    }
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

  // MARK: Inspecting

  /// Returns the accounts that have created the most tables, and those that have had the most written.
  ///
  /// - Complexity: O(number of accounts).
  func largest(_ count: Int, _ limits: SyncLimits, at now: Instant) -> [PeerLoad] {
    var byTables = TopList<PeerLoad>(count) { $0.tables > $1.tables }
    var byWritten = TopList<PeerLoad>(count) { $0.writtenBytes > $1.writtenBytes }
    for peer in peers {
      guard let load = load(of: peer, limits, at: now) else { continue }
      byTables.insert(load)
      byWritten.insert(load)
    }
    return byTables.all + byWritten.all.filter { !byTables.all.contains($0) }
  }

  private func load(of peer: PeerID, _ limits: SyncLimits, at now: Instant) -> PeerLoad? {
    guard let account = accounts[peer] else { return nil }
    var load = PeerLoad(peer: peer)
    load.tables = account.tables
    load.writtenBytes = account.written.present(limits.journal, at: now)
    return load
  }

  /// Looks at a bounded number of accounts, and knows the most of one when all were visited.
  private mutating func measure(_ limits: SyncLimits, at now: Instant) {
    for _ in 0..<min(Self.visitsPerSweep, peers.count) {
      if measured >= peers.count { break }
      if let load = load(of: peers[measured], limits, at: now) { mostSoFar = PeerLoad.most(mostSoFar, load) }
      measured += 1
    }
    guard measured >= peers.count else { return }
    (most, mostSoFar, measured) = (mostSoFar, PeerLoad(peer: .unknown), 0)
  }

  // MARK: Written bytes

  /// Charges a peer for what its connection has had written.
  ///
  /// - Returns: Whether it may have more written.
  mutating func charge(_ peer: PeerID, _ bytes: Int, _ limits: SyncLimits, at now: Instant) -> Bool {
    let peer = bytes > 0 ? open(peer, limits, at: now) : payer(for: peer)
    accounts[peer]?.written.add(bytes, limits.journal, at: now)
    guard accounts[peer]?.written.isFull(limits.journal, at: now) == true else { return true }
    hasFull = true
    hasFoundFull = true
    used.note(.writtenBytes, of: peer, at: now)
    return false
  }

  /// Returns whether a peer may have anything written.
  func mayWrite(_ peer: PeerID, _ limits: SyncLimits, at now: Instant) -> Bool {
    accounts[payer(for: peer)].map { !$0.written.isFull(limits.journal, at: now) } ?? true
  }

  // MARK: Accounts

  /// Returns the peer whose account a peer is charged to.
  private func payer(for peer: PeerID) -> PeerID {
    accounts[peer] != nil || accounts.count < countMax ? peer : .unknown
  }

  /// Opens a peer's account unless it has one or there are too many.
  ///
  /// - Returns: The peer whose account it is charged to.
  private mutating func open(_ peer: PeerID, _ limits: SyncLimits, at now: Instant) -> PeerID {
    guard accounts[peer] == nil else { return peer }
    removeIdle(visits: Self.visitsPerOpening, limits, at: now)
    let payer = payer(for: peer)
    guard accounts[payer] == nil else { return payer }
    accounts[payer] = Account()
    peers.append(payer)
    return payer
  }

  private static let visitsPerOpening = 2

  /// Looks at a bounded number of accounts, and removes the idle ones.
  private mutating func removeIdle(visits: Int, _ limits: SyncLimits, at now: Instant) {
    for _ in 0..<min(visits, peers.count) {
      if hand >= peers.count { hand = 0 }
      if accounts[peers[hand]]?.isIdle(limits, at: now) == true {
        accounts[peers[hand]] = nil
        peers.swapAt(hand, peers.count - 1)
        peers.removeLast()
      } else {
        hand += 1
      }
    }
  }

  /// Ends a sweep that has charged for all connections.
  mutating func endSweep(_ limits: SyncLimits, at now: Instant) {
    hasFull = hasFoundFull
    hasFoundFull = false
    removeIdle(visits: Self.visitsPerSweep, limits, at: now)
    measure(limits, at: now)
  }

  private static let visitsPerSweep = 1_024
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

  func present(_ limits: SyncLimits.Journal, at now: Instant) -> Int { bytes(limits, at: now) }

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
