import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// J20: the right to create tables, and how many an address may create.
@Suite struct CreationTests {
  private static let one = PeerID(high: 0, low: 1)
  private static let other = PeerID(high: 0, low: 2)

  @Test func `a token is needed to create a table and not to join it`() {
    let daemon = Daemon(creation: .token("0123456789abcdef"))
    for invite in ["", "0123456789abcde", "0123456789abcdeF", "0123456789abcdef0"] {
      let goodbye = Peer(daemon, invite: invite).goodbye
      #expect(goodbye?.reason == .createNotAllowed && goodbye?.isResumable == false)
    }
    #expect(daemon.shard.tableCount == 0)
    #expect(Peer(daemon, invite: "0123456789abcdef").replica != nil)
    #expect(Peer(daemon).replica != nil)
  }

  @Test func `the token is not an invite`() {
    let daemon = Daemon(isOpen: false, creation: .token("0123456789abcdef"))
    let host = Peer(daemon, invite: "0123456789abcdef")
    #expect(host.replica != nil)
    #expect(Peer(daemon, invite: "0123456789abcdef").goodbye?.reason == .inviteInvalid)
    #expect(Peer(daemon, invite: host.welcome?.invite ?? "").replica != nil)
  }

  @Test func `if nobody may create tables, those in the journal can be joined`() {
    let daemon = Daemon()
    _ = Peer(daemon)
    daemon.restart(creation: .nobody)
    #expect(Peer(daemon).replica != nil)
    #expect(Peer(daemon, table: "new").goodbye?.reason == .createNotAllowed)
  }

  @Test func `an address creates so many tables at once and so many per second`() {
    let daemon = Daemon {
      $0.tables.tablesPerSecondMax = 2
      $0.tables.tablesBurstMax = 5
    }
    func create(_ number: Int, from address: PeerID) -> Goodbye? {
      Peer(daemon, table: "t\(number)", from: address).goodbye
    }
    for number in 0...5 { #expect(create(number, from: Self.one) == nil) }
    let goodbye = create(6, from: Self.one)
    #expect(goodbye?.reason == .tooManyTables && goodbye?.isResumable == true && goodbye?.retryAfterMilliseconds != 0)
    #expect(create(0, from: Self.one) == nil, "it exists")
    #expect(create(7, from: Self.other) == nil)
    daemon.pass(milliseconds: 500)
    #expect(create(6, from: Self.one) == nil)
    #expect(create(8, from: Self.one)?.reason == .tooManyTables)
  }

  @Test func `an address has so many tables in memory`() {
    let daemon = Daemon { $0.tables.tablesPerAddressMax = 3 }
    let peers = (0..<3).map { Peer(daemon, table: "t\($0)", from: Self.one) }
    let goodbye = Peer(daemon, table: "t3", from: Self.one).goodbye
    #expect(goodbye?.reason == .tooManyTables && goodbye?.isResumable == false)
    #expect(Peer(daemon, table: "t4", from: Self.other).replica != nil)
    for peer in peers { daemon.lose(peer.connection) }
    daemon.sweep(afterSeconds: daemon.shard.limits.sessions.graceSeconds + 1)
    daemon.sweep(afterSeconds: daemon.shard.limits.tables.unloadSeconds + 1)
    #expect(Peer(daemon, table: "t3", from: Self.one).replica != nil)
  }

  /// I8: what addresses leave behind is forgotten.
  @Test func `accounts are forgotten when they say nothing any more`() {
    let limits = SyncLimits()
    var accounts = PeerAccounts()
    var now = Instant(nanoseconds: 1)
    for number in 0..<5_000 as Range<UInt64> {
      let peer = PeerID(high: number, low: 0)
      let verdict = accounts.create("t", of: 100, by: peer, limits, at: now)
      #expect(verdict == .allowed)
      now = now.advanced(bySeconds: 1)
      accounts.endSweep(limits, at: now)
    }
    #expect(accounts.count < 10)
  }

  @Test func `I8: there are so many accounts, and further addresses share one`() {
    let limits = SyncLimits {
      $0.tables.tablesPerAddressMax = 5
      $0.tables.tablesPerSecondMax = 0
    }
    let countMax = 100
    var accounts = PeerAccounts(countMax: countMax)
    let now = Instant(nanoseconds: 1)
    func create(_ number: UInt64) -> PeerAccounts.CreationVerdict {
      accounts.create("t\(number)", of: 100, by: PeerID(high: number, low: 1), limits, at: now)
    }
    for number in 1...1_000 as ClosedRange<UInt64> {
      let verdict = create(number)
      #expect(verdict == (number <= UInt64(countMax) + 5 ? .allowed : .tooMany))
      #expect(accounts.count <= countMax + 1)
    }
    #expect(accounts.count == countMax + 1)
    let isOwnAllowed = accounts.create("own", of: 1, by: PeerID(high: 1, low: 1), limits, at: now)
    #expect(isOwnAllowed == .allowed, "an address with an account keeps it")
    // What one of them has had written counts for all that share the account.
    let isFull = !accounts.charge(PeerID(high: 999, low: 1), limits.journal.bytesPerAddressMax, limits, at: now)
    let mayOthers = accounts.charge(PeerID(high: 998, low: 1), 0, limits, at: now)
    let mayOwn = accounts.charge(PeerID(high: 2, low: 1), 0, limits, at: now)
    #expect(isFull && !mayOthers && mayOwn)
    // Without charges, accounts make room for others.
    for number in 1...1_000 { accounts.removed("t\(number)") }
    accounts.removed("own")
    let later = now.advanced(bySeconds: 2 * limits.journal.bytesPerAddressSeconds)
    for _ in 1...2 { accounts.endSweep(limits, at: later) }
    #expect(accounts.count == 0)
  }
}

/// K6: an address that has had too much written.
@Suite struct WrittenBytesTests {
  private static let one = PeerID(high: 0, low: 1)
  private static let other = PeerID(high: 0, low: 2)
  private static func limit(_ limits: inout SyncLimits) {
    limits.journal.bytesPerAddressMax = 1 << 20
    limits.connections.heartbeatSeconds = 1_000_000
  }

  /// More than twice what the limit allows.
  private static let updatesMax = 200

  private func fill(_ daemon: Daemon, _ peer: Peer) -> Int {
    let large = String(repeating: "x", count: 16_000)
    for number in 0..<Self.updatesMax {
      let attributes = [Attribute("a", large), Attribute("b", "\(number)")]
      peer.ask(.update(peer.item(1), attributes: attributes, representations: []))
      if peer.replica?.retryReason != nil { return number }
    }
    return Self.updatesMax
  }

  @Test func `only those at the address get STORAGE, until enough is forgotten`() {
    let daemon = Daemon(Self.limit)
    let writer = Peer(daemon, from: Self.one)
    let friend = Peer(daemon, from: Self.one)
    let neighbour = Peer(daemon, from: Self.other)
    let count = fill(daemon, writer)
    // Each writes 16 KB, and what was not charged yet may exceed the limit.
    #expect((60...90).contains(count), "\(count)")
    #expect(writer.replica?.retryReason?.reason == .storage)
    daemon.tick()
    friend.receive()
    friend.ask(friend.move(2))
    #expect(friend.replica?.retryReason?.reason == .storage)
    neighbour.receive()
    neighbour.ask(neighbour.move(3))
    #expect(neighbour.replica?.pending.isEmpty == true && neighbour.replica?.retryReason == nil)
    #expect(Peer(daemon, table: "new", from: Self.one).goodbye?.reason == .storage)
    #expect(Peer(daemon, table: "new", from: Self.other).replica != nil)
    daemon.sweep(afterSeconds: 86_400)
    writer.receive()
    writer.sendAgain()
    writer.receive()
    #expect(writer.replica?.pending.isEmpty == true)
  }

  @Test func `joining and leaving writes nothing more, and sessions are resumed`() {
    let daemon = Daemon(Self.limit)
    let (writer, friend) = (Peer(daemon, from: Self.one), Peer(daemon, from: Self.one))
    _ = fill(daemon, writer)
    daemon.tick()
    friend.receive()
    daemon.endTurn()
    for _ in 1...50 {
      let before = daemon.committed.count
      let refused = Peer(daemon, from: Self.one).goodbye
      #expect(refused?.reason == .storage && refused?.retryAfterMilliseconds ?? 0 > 0)
      #expect(Peer(daemon, role: .spectator, from: Self.one).goodbye?.reason == .storage)
      let resumed = Peer(daemon, credential: friend.credential, from: Self.one)
      #expect(resumed.replica != nil && resumed.welcome?.session == friend.welcome?.session)
      resumed.receive()
      daemon.tick()
      #expect(daemon.committed.count == before)
    }
    #expect(Peer(daemon, from: Self.other).replica != nil)
  }

  @Test func `the set-up of a table counts`() {
    let daemon = Daemon(Self.limit)
    #expect(Peer(daemon, table: "a", type: "list?items=6000", from: Self.one).welcome != nil)
    #expect(Peer(daemon, table: "b", type: "list?items=1", from: Self.one).goodbye?.reason == .storage)
  }

  @Test func `without a journal nothing counts`() {
    let daemon = Daemon(durability: .memory, Self.limit)
    #expect(fill(daemon, Peer(daemon, from: Self.one)) == Self.updatesMax)
  }
}
