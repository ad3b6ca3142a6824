import BaizeSimulator
import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// Of what is free, an account may hold as large a part as is free of the whole (I8).
@Suite struct SharesTests {
  // MARK: The rule

  /// The rule itself, in place of the arithmetic.
  private static func allows(_ own: Int, of limit: Int, leaving free: Int, _ weight: Int) -> Bool {
    free >= 0 && own * limit <= weight * free * free
  }

  private static func oracle(_ limit: Int, _ held: Int, _ own: Int, _ weight: Int) -> Int {
    (0...limit).last { $0 == 0 || allows(own + $0, of: limit, leaving: limit - held - $0, weight) } ?? 0
  }

  @Test func `the room is the largest growth that the rule allows`() {
    for limit in 0...28 {
      for held in 0...34 {
        for own in 0...min(held, 28) {
          for weight in [1, 4] {
            #expect(
              Shares(of: limit, held: held).room(beside: own, weight: weight)
                == Self.oracle(limit, held, own, weight), "\(limit) \(held) \(own) \(weight)")
          }
        }
      }
    }
    for (limit, held, own) in [(1 << 46, 1 << 45, 1 << 40), (18_000_000_000, 7_777_777_777, 12_345), (1 << 62, 0, 0)] {
      let shares = Shares(of: limit, held: held)
      let room = shares.room(beside: own)
      #expect(room > 0 && !Shares(of: limit, held: held + room).isExceeded(by: own + room))
      #expect(Shares(of: limit, held: held + room + (limit >> 40) + 1).isExceeded(by: own + room + (limit >> 40) + 1))
    }
    #expect(Shares.unlimited.room(beside: .max / 4) > 1 << 59)
    #expect(Shares(of: 100, held: 0).room(beside: 0) == 38)
  }

  @Test(arguments: [1, 2, 10, 100]) func `k accounts leave one in k + 1, one after the other or all together`(
    count: Int
  ) {
    let limit = 1_000_000
    for step in [Int.max, 50_000, 1_000] {
      var held = Array(repeating: 0, count: count)
      var hasGrown = true
      while hasGrown {
        hasGrown = false
        for index in held.indices {
          let room = Shares(of: limit, held: held.reduce(0, +)).room(beside: held[index])
          held[index] += min(room, step)
          hasGrown = hasGrown || room > 0
        }
      }
      let shares = Shares(of: limit, held: held.reduce(0, +))
      #expect(shares.free >= limit / (count + 1), "\(step): \(shares.free)")
      #expect(shares.room(beside: 0) > shares.most / 3, "a newcomer has room")
    }
  }

  // MARK: Tables

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `nobody is charged for more than it put there, and the sum is the contents`(
    seed: UInt64
  ) {
    var random = RandomSource(seed: seed)
    var charges = TableCharges()
    var put: [AccountKey: Int] = [:]
    func below(_ bound: Int) -> Int { Int(random.next(below: UInt64(bound))) }
    let accounts = below(90) + 1
    for _ in 0..<2_000 {
      let account = AccountKey(rawValue: UInt64(below(accounts) + 1))
      let change = below(400) - (below(3) == 0 ? 600 : 100)
      let contents = max(0, charges.total + change)
      if contents > charges.total { put[charges.payer(for: account), default: 0] += contents - charges.total }
      let before = charges.all
      charges.note(contents, by: account)
      #expect(charges.total == contents && charges.all.reduce(0) { $0 + $1.bytes } == contents, "seed \(seed)")
      #expect(charges.all.count <= TableCharges.countMax)
      for charge in charges.all {
        #expect(charge.bytes >= 0 && charge.bytes <= put[charge.account, default: 0], "seed \(seed)")
        if charge.account != account, charge.account != .common,
          let last = before.first(where: { $0.account == charge.account })
        {
          #expect(charge.bytes <= last.bytes, "seed \(seed)")
        }
      }
    }
  }

  @Test func `what is settled is what is charged, and all of it goes with the table`() {
    var accounts = ShareAccounts()
    var charges = TableCharges()
    let (one, other) = (PeerID(high: 0, low: 1), PeerID(high: 0, low: 2))
    charges.note(3_000, by: accounts.key(of: one))
    charges.note(4_000, by: accounts.key(of: other))
    charges.setSessions([(accounts.key(of: other), 500)])
    charges.floorBytes = 100
    charges.settle(20_000, into: &accounts)
    let loads = accounts.largest(10)
    #expect(loads.map(\.contentBytes).sorted() == [1_000, 3_000])
    let all = loads.reduce(0) { $0 + $1.bytes }
    #expect((19_998...20_000).contains(all), "\(all)")
    #expect(accounts.floorBytes == 100)
    charges.release(from: &accounts)
    #expect(accounts.count == 0 && accounts.floorBytes == 0)
  }

  @Test func `stored charges cannot overflow, whatever a file says`() {
    let charges = TableCharges(
      restoring: (0..<1_000).map { StoredCharge(account: AccountKey(rawValue: UInt64($0 % 500)), bytes: .max) })
    #expect(charges.all.count <= TableCharges.countMax && charges.total > 0)
    var divided = charges
    divided.divide(1_000)
    #expect(divided.total == 1_000 && divided.all.reduce(0) { $0 + $1.bytes } == 1_000)
    var accounts = ShareAccounts()
    divided.settle(5_000, into: &accounts)
    divided.release(from: &accounts)
    #expect(accounts.count == 0)
  }

  // MARK: Networks and shards

  @Test func `the addresses of a customer share an account, those of a site one of four times the weight`() {
    var accounts = ShareAccounts()
    let shares = Shares(of: 1_000, held: 0)
    func address(_ high: UInt64) -> PeerID { PeerID(high: 0x2001_0db8_0000_0000 | high, low: 0) }
    func room(_ peer: PeerID) -> Int {
      accounts.add(ShareAmounts(memory: 1), to: accounts.key(of: peer), of: peer)
      defer { accounts.add(ShareAmounts(memory: -1), to: accounts.key(of: peer)) }
      return accounts.room(for: accounts.key(of: peer), memory: .unlimited, contents: shares)
    }
    func take(_ bytes: Int, _ peer: PeerID) {
      accounts.add(ShareAmounts(contents: bytes), to: accounts.key(of: peer), of: peer)
    }
    #expect(room(address(0x1)) == 381)
    for number in 0..<4 as Range<UInt64> { take(50, address(number)) }
    #expect(room(address(0x9)) == shares.room(beside: 200), "the same /56")
    #expect(room(address(0x109)) == 381, "the same /48")
    for number in 0..<32 as Range<UInt64> { take(200, address(number << 8)) }
    #expect(room(address(0xFF00)) == 0, "the /48 has more than four times a share")
    #expect(room(address(0x1_0000)) == 381)
  }

  @Test func `what an address holds on another shard counts`() {
    let ledger = TestLedger()
    var (here, there) = (ShareAccounts(ledger: ledger), ShareAccounts(ledger: ledger))
    let peer = PeerID(high: 0, low: 7)
    let key = here.key(of: peer)
    there.add(ShareAmounts(memory: 100 << 20), to: key, of: peer)
    here.add(ShareAmounts(memory: 1), to: key, of: peer)
    let shares = Shares(of: 1 << 30, held: 100 << 20)
    let room = here.room(for: key, memory: shares, contents: .unlimited)
    #expect(room == shares.room(beside: (100 << 20) + 1) / 2)
    let (wide, tight) = (here.exceeds(shares, key), here.exceeds(Shares(of: 240 << 20, held: 100 << 20), key))
    #expect(!wide && tight)
    there.add(ShareAmounts(memory: -100 << 20), to: key)
    let later = here.room(for: key, memory: shares, contents: .unlimited)
    #expect(later == shares.room(beside: 1) / 2)
    here.add(ShareAmounts(memory: -1), to: key)
    #expect(ledger.bytes.isEmpty && here.count == 0)
  }

  private final class TestLedger: ShareLedger, @unchecked Sendable {
    private(set) var bytes: [AccountKey: Int] = [:]

    func add(_ change: Int, to account: AccountKey) -> Int {
      let sum = bytes[account, default: 0] + change
      bytes[account] = sum == 0 ? nil : sum
      return sum
    }
  }

  // MARK: A shard

  private static let stranger = PeerID(high: 0, low: 1)
  private static let other = PeerID(high: 0, low: 2)
  private static let text = String(repeating: "x", count: 10_000)

  @discardableResult
  private static func fill(_ peer: Peer, _ count: Int = 1_000) -> Int {
    let insert = TableOperation.Kind.insert([NewItem(attributes: [Attribute("title", text)])], .end(of: .first))
    return (0..<count).first { _ in peer.ask(insert)?.diff == nil } ?? count
  }

  /// Row 1 of the attack: whoever fills the contents of a shard stops at its share, and others' boards accept every card.
  @Test func `who fills a shard's contents stops at its share, and others go on`() {
    let daemon = Daemon(durability: .memory) { $0.tables.contentBytesPerShardMax = 4 << 20 }
    let board = Peer(daemon, table: "board", type: "kanban?columns=fixed&cards=1", from: Self.other)
    let strangers = (0..<3).map {
      Peer(daemon, table: "s\($0)", type: "kanban?columns=fixed&cards=1", from: Self.stranger)
    }
    for stranger in strangers { Self.fill(stranger) }
    let held = daemon.shard.tables.contentBytes
    #expect((1_500_000...1_850_000).contains(held), "\(held)")
    #expect(Self.fill(board, 60) == 60, "600 KB")
    #expect(Peer(daemon, table: "new", type: "list?items=500", from: Self.other).welcome != nil)
    #expect(
      Peer(daemon, table: "large", type: "list?items=9000", from: Self.stranger).goodbye?.reason == .tooManyTables)
    #expect(daemon.shard.largestAccounts(1, at: daemon.now).first?.peer == Self.stranger)
    let used = daemon.host.shard.takeUsedShares()
    #expect(
      used.contains { $0.peer == Self.stranger && $0.share == .memory } && !used.contains { $0.peer == Self.other })
    // What it takes away, it may put back.
    for stranger in strangers { daemon.lose(stranger.connection) }
    #expect(daemon.shard.shares.count >= 2)
  }

  @Test func `what somebody puts on another's table is the author's`() {
    let daemon = Daemon(durability: .memory) { $0.tables.contentBytesPerShardMax = 4 << 20 }
    let board = Peer(daemon, table: "board", type: "kanban?columns=fixed&cards=1", from: Self.other)
    let stranger = Peer(daemon, table: "board", type: "", from: Self.stranger)
    Self.fill(stranger)
    board.receiveAll()
    #expect(Self.fill(board, 60) == 60)
    daemon.sweep(afterSeconds: 1)
    let loads = daemon.shard.largestAccounts(4, at: daemon.now)
    let own = loads.first { $0.peer == Self.other }?.contentBytes ?? 0
    #expect((600_000...700_000).contains(own), "\(own)")
    #expect(loads.first { $0.peer == Self.stranger }?.contentBytes ?? 0 > 1_300_000)
  }

  @Test func `an address that stands for many takes all that is free`() {
    let daemon = Daemon(durability: .memory) { $0.tables.contentBytesPerShardMax = 4 << 20 }
    let peer = Peer(daemon, table: "s", type: "kanban?columns=fixed&cards=1", from: Self.stranger, isShared: true)
    Self.fill(peer)
    #expect(daemon.shard.tables.contentBytes > 4_000_000)
  }

  /// Each floor is booked, so that all together are at most an eighth of the contents.
  @Test func `tables grow to their floors, and floors do not add up to more than there is`() {
    let daemon = Daemon(durability: .memory) { $0.tables.contentBytesPerShardMax = 4 << 20 }
    let strangers = (0..<20).map {
      Peer(daemon, table: "s\($0)", type: "kanban?columns=fixed&cards=1", from: Self.stranger)
    }
    let board = Peer(daemon, table: "board", type: "kanban?columns=fixed&cards=1", from: Self.other)
    let floors = daemon.shard.tables.all.map(\.charges.floorBytes)
    #expect(floors.reduce(0, +) <= (4 << 20) / ServerLimits.floorsDivisor)
    #expect(floors.last == ServerLimits.tableFloorBytes && floors.first == ServerLimits.tableFloorBytes)
    #expect(floors.filter { $0 == 0 }.count >= 15)
    daemon.setMemoryMark(.shedding, excess: 0)
    #expect(Self.fill(board) == 6)
    #expect(Self.fill(strangers[0]) == 6 && Self.fill(strangers[19]) == 0)
  }

  @Test func `who parks frames is disconnected when it has as much memory as is free`() {
    let daemon = Daemon(durability: .memory)
    let board = Peer(daemon, table: "board", from: Self.other)
    let strangers = (0..<20).map { Peer(daemon, table: "s\($0)", from: Self.stranger) }
    daemon.host.shard.setMemoryRoom(2 << 20, of: 2 << 20)
    for (index, stranger) in strangers.enumerated() {
      daemon.host.shard.unreceived(of: stranger.connection, 250_000, at: daemon.now)
      // The host counts its queues.
      daemon.host.shard.setMemoryRoom((2 << 20) - 250_000 * min(index + 1, 4), of: 2 << 20)
    }
    daemon.host.shard.unreceived(of: board.connection, 250_000, at: daemon.now)
    daemon.endTurn()
    let closed = strangers.filter { daemon.closed.contains($0.connection) }.count
    #expect(closed > 10 && closed < 20 && !daemon.closed.contains(board.connection), "\(closed)")
    for peer in strangers + [board] where !daemon.closed.contains(peer.connection) { daemon.lose(peer.connection) }
  }

  @Test func `without a journal no table is discarded before its time, however short memory is`() {
    let daemon = Daemon(durability: .memory) { $0.sessions.graceSeconds = 1 }
    for number in 0..<3 {
      daemon.lose(Peer(daemon, table: "t\(number)", type: "list?items=500", from: Self.stranger).connection)
    }
    daemon.setMemoryMark(.disconnecting, excess: 1 << 20)
    for _ in 0..<60 { daemon.sweep(afterSeconds: 60) }
    #expect(daemon.shard.tableCount == 3)
  }

  /// What it may grow by would otherwise tell how much is hidden there (L6).
  @Test func `the floor of a table counts what is hidden as what everyone may know of it`() {
    let daemon = Daemon(durability: .memory)
    let peer = Peer(daemon, table: "t", type: "klondike", from: Self.other)
    daemon.setMemoryMark(.refusing, excess: 0)
    daemon.host.shard.limitGrowth(of: 0, by: peer.connection)
    #expect(daemon.table.table.contentBytesMax == ServerLimits.tableFloorBytes)
  }

  // MARK: Sessions

  /// Otherwise nobody would know whose it is, nor to which networks it counts.
  @Test func `what somebody leaves before the next sweep counts to the networks of the address`() {
    let daemon = Daemon(durability: .memory)
    _ = Peer(daemon, table: "board", type: "kanban?columns=fixed&cards=1", from: Self.other)
    let addresses = (0..<8 as Range<UInt64>).map { PeerID(high: 0x2001_0db8_0000_0000 | $0, low: 0) }
    for (index, address) in addresses.enumerated() {
      let peer = Peer(daemon, table: "board", type: "", role: index < 4 ? .player : .spectator, from: address)
      if index < 4 { Self.fill(peer, 1) }
      daemon.lose(peer.connection)
    }
    for _ in 0..<2 {
      let loads = daemon.shard.largestAccounts(20, at: daemon.now)
      #expect(addresses.allSatisfy { address in loads.contains { $0.peer == address && $0.bytes > 0 } })
      let customer = daemon.shard.shares.key(of: PeerID(high: 0x2001_0db8_0000_0000, low: 56))
      let shares = Shares(of: 1 << 20, held: 0)
      let room = daemon.host.shard.shares.room(for: customer, memory: .unlimited, contents: shares)
      #expect(room <= shares.room(beside: 40_000), "\(room)")
      daemon.sweep(afterSeconds: 1)
    }
  }

  @Test func `the memory of a table's sessions is charged as it changes`() {
    let daemon = Daemon(durability: .memory)
    let board = Peer(daemon, table: "board", type: "kanban?columns=fixed&cards=1", from: Self.other)
    let others = (0..<3).map { _ in Peer(daemon, table: "board", type: "", from: Self.stranger) }
    for count in [0, 1, 60] {
      Self.fill(board, count)
      for peer in others { peer.receiveAll() }
      daemon.sweep(afterSeconds: 1)
      let charges = daemon.table.charges.all
      #expect(charges.reduce(0) { $0 + $1.sessionBytes } == daemon.table.sessionBytes, "\(count)")
    }
    // Somebody from another address continues the session, which is as large as before.
    let before = daemon.table.charges.all.map(\.sessionBytes)
    daemon.lose(others[2].connection)
    let credential = others[2].credential
    #expect(Peer(daemon, table: "board", type: "", credential: credential, from: Self.other).welcome != nil)
    daemon.sweep(afterSeconds: 1)
    let after = daemon.table.charges.all.map(\.sessionBytes)
    #expect(after.count == 2 && after[0] > before[0] && after[1] < before[1])
  }

  /// A session that is away, with a seat or without, stays its own address's (J22).
  @Test func `a session is charged to who opened it, also while it is away and after a reload`() {
    let daemon = Daemon { $0.sessions.graceSeconds = 1 }
    let owner = Peer(daemon, table: "board", type: "board", from: Self.other)
    let strangers = (0..<60).map {
      Peer(daemon, table: "board", type: "", role: $0 < 10 ? .player : .spectator, from: Self.stranger)
    }
    for peer in strangers {
      // Otherwise their seats are not kept.
      peer.exchange(.ping(Ping(nonce: 1)))
      daemon.lose(peer.connection)
    }
    for _ in 0..<3 { daemon.sweep(afterSeconds: 1) }
    #expect(daemon.state.seats.count { $0.isAbsent } == 10)
    let loads = daemon.shard.largestAccounts(9, at: daemon.now)
    let before = loads.first { $0.peer == Self.stranger }?.bytes ?? 0
    #expect(before >= 60 * MemoryLayout<Session>.stride)
    daemon.lose(owner.connection)
    daemon.restart()
    let joiner = Peer(daemon, table: "board", type: "", role: .spectator, from: PeerID(high: 0, low: 3))
    daemon.sweep(afterSeconds: 1)
    #expect(joiner.welcome != nil && daemon.table.sessions.count == 62)
    // Nobody has come from there since.
    let account = daemon.shard.shares.key(of: Self.stranger)
    let charge = daemon.table.charges.all.first { $0.account == account }
    #expect(charge?.sessionBytes ?? 0 >= before / 2)
  }

  /// History and sessions do not count as contents: they are given up, of those who hold too much.
  @Test func `who holds more memory than its share loses history, and others keep theirs`() {
    let daemon = Daemon(durability: .memory)
    let stranger = Peer(daemon, table: "s", type: "list?items=3000", from: Self.stranger)
    let board = Peer(daemon, table: "board", type: "list?items=9", from: Self.other)
    for peer in [stranger, board] {
      for number in 0..<300 as Range<UInt64> {
        let items = [ItemID(rawValue: number % 9 + 1)]
        _ = peer.ask(
          .reorder(ReorderDifference(sources: items, destination: .end(of: .first)), suggested: []))
      }
    }
    func history() -> [Int] { daemon.shard.tables.all.map(\.table.historyBytes) }
    daemon.sweep(afterSeconds: 1)
    let before = history()
    daemon.sweep(afterSeconds: 1)
    #expect(history() == before)
    daemon.host.shard.setMemoryRoom(1 << 20, of: 2 << 20)
    daemon.sweep(afterSeconds: 1)
    #expect(history()[0] < before[0] / 2 && history()[1] == before[1], "\(before) \(history())")
  }

  /// Moves of many items make a table remember much within a second, and add nothing to its contents.
  @Test func `history is charged as it grows, and is cut as soon as its account holds too much`() {
    let daemon = Daemon(durability: .memory)
    let stranger = Peer(daemon, table: "s", type: "list?items=900", from: Self.stranger)
    stranger.receiveAll()
    let before = daemon.shard.memoryUse.tables
    func move(_ count: Int) {
      for number in 0..<count {
        let sources = (1...900 as ClosedRange<UInt64>).filter { $0 % 2 == UInt64(number % 2) }
        let difference = ReorderDifference(
          sources: sources.map { ItemID(rawValue: $0) }, destination: .end(of: .first))
        #expect(stranger.ask(.reorder(difference, suggested: []))?.diff != nil, "move \(number)")
      }
    }
    move(30)
    let history = daemon.table.table.historyBytes
    let charged = daemon.shard.memoryUse.tables - before
    #expect(history > 1 << 20 && charged > history / 2, "\(charged) \(history)")
    daemon.host.shard.setMemoryRoom(1 << 20, of: 4 << 20)
    for _ in 0..<10 {
      move(10)
      #expect(daemon.table.table.historyBytes < 1 << 20)
    }
  }

  @Test func `who has many sessions opens no more and loses those that are away, and others do not`() {
    let daemon = Daemon(durability: .memory)
    let board = Peer(daemon, table: "board", type: "kanban?columns=fixed&cards=1", from: Self.other)
    func open(_ peer: PeerID, isShared: Bool = false) -> Peer {
      Peer(daemon, table: "board", type: "", role: .spectator, from: peer, isShared: isShared)
    }
    for _ in 0..<400 { daemon.lose(open(Self.stranger).connection) }
    let guest = open(Self.other)
    daemon.lose(guest.connection)
    daemon.host.shard.setMemoryRoom(1 << 18, of: 2 << 20)
    let refused = open(Self.stranger)
    #expect(refused.goodbye?.reason == .tooManyConnections && refused.goodbye?.retryAfterMilliseconds ?? 0 > 0)
    #expect(open(Self.other).welcome != nil)
    #expect(daemon.table.sessions.count == 403)
    daemon.sweep(afterSeconds: 1)
    #expect(daemon.table.sessions.count == 3)
    #expect(daemon.host.shard.takeUsedShares().map(\.peer) == [Self.stranger])
    // It has given enough back, and who was away may return.
    #expect(open(Self.stranger).welcome != nil)
    guest.reconnect(role: .spectator)
    #expect(guest.goodbye == nil && guest.welcome != nil && board.goodbye == nil)
  }

  @Test func `an address that stands for many has all sessions that fit`() {
    let daemon = Daemon(durability: .memory)
    _ = Peer(daemon, table: "board", type: "kanban?columns=fixed&cards=1", from: Self.other)
    let many = (0..<400).map { _ in
      Peer(daemon, table: "board", type: "", role: .spectator, from: Self.stranger, isShared: true)
    }
    daemon.host.shard.setMemoryRoom(1 << 18, of: 2 << 20)
    daemon.lose(many[0].connection)
    daemon.sweep(afterSeconds: 1)
    #expect(daemon.table.sessions.count == 401)
    #expect(
      Peer(daemon, table: "board", type: "", role: .spectator, from: Self.stranger, isShared: true).welcome != nil)
  }

  // MARK: The journal

  @Test func `a table that moves to another document keeps its charges`() throws {
    let daemon = Daemon { $0.tables.unloadSeconds = 1 }
    let board = Peer(daemon, table: "board", type: "kanban?columns=fixed&cards=1", from: Self.other)
    let stranger = Peer(daemon, table: "board", type: "", from: Self.stranger)
    Self.fill(stranger, 20)
    board.receiveAll()
    Self.fill(board, 10)
    daemon.sweep(afterSeconds: 1)
    let before = daemon.table.charges.all.map { [$0.account.rawValue, UInt64($0.bytes)] }
    daemon.host.shard.reload(types: OtherCards(), limits: daemon.shard.limits)
    let hasMoved = try daemon.host.shard.migrate(table: "board", endsSessions: true, at: daemon.now)
    daemon.endTurn()
    daemon.sweep(afterSeconds: 1)
    #expect(hasMoved && daemon.table.epoch == Epoch(rawValue: 2))
    #expect(daemon.shard.tables.contentBytes == daemon.state.contentBytes)
    #expect(daemon.table.charges.all.map { [$0.account.rawValue, UInt64($0.bytes)] } == before)
    for peer in [board, stranger] { daemon.lose(peer.connection) }
    for _ in 0..<10 { daemon.sweep(afterSeconds: 1) }
    #expect(daemon.shard.tableCount == 0 && daemon.shard.shares.count == 0)
  }

  /// Types of which every document has been replaced by one that begins with more cards.
  private struct OtherCards: TableTypeSource {
    func tableType(named text: String) throws(TableTypeFailure) -> TableType {
      try SimulatedTypes().tableType(named: text)
    }

    func presentType(for type: TableType, named text: String) -> PresentType? {
      let text = "kanban?columns=fixed&cards=2"
      return (try? tableType(named: text)).map { PresentType($0, text: text) }
    }
  }

  @Test func `who put what on a table holds after a reload`() {
    let daemon = Daemon {
      $0.tables.unloadSeconds = 1
      $0.sessions.graceSeconds = 0
    }
    let board = Peer(daemon, table: "board", type: "kanban?columns=fixed&cards=1", from: Self.other)
    let stranger = Peer(daemon, table: "board", type: "", from: Self.stranger)
    Self.fill(stranger, 60)
    board.receiveAll()
    Self.fill(board, 30)
    let before = daemon.table.charges.all.map { [$0.account.rawValue, UInt64($0.bytes)] }
    daemon.restart()
    let joiner = Peer(daemon, table: "board", type: "", from: PeerID(high: 0, low: 3))
    joiner.receiveAll()
    #expect(joiner.isConverged)
    // The joiner's session is charged, too.
    let after = daemon.table.charges.all.filter { $0.bytes > 0 }.map { [$0.account.rawValue, UInt64($0.bytes)] }
    #expect(after.map { $0[0] } == before.map { $0[0] })
    for (one, other) in zip(before, after) {
      #expect(one[1] > other[1] ? one[1] - other[1] < 400_000 : other[1] - one[1] < 400_000)
    }
    #expect(
      daemon.shard.largestAccounts(9, at: daemon.now).allSatisfy { $0.peer != joiner.address || $0.contentBytes == 0 })
  }

  /// Nobody can have tables loaded that nobody pays for.
  @Test func `a table whose authors have their share is loaded for one who can pay`() {
    let daemon = Daemon {
      $0.tables.unloadSeconds = 1
      $0.sessions.graceSeconds = 0
      $0.tables.contentBytesPerShardMax = 4 << 20
    }
    for number in 0..<6 {
      let peer = Peer(daemon, table: "s\(number)", type: "kanban?columns=fixed&cards=1", from: Self.stranger)
      Self.fill(peer, 60)
      daemon.lose(peer.connection)
      for _ in 0..<60 { daemon.sweep(afterSeconds: 1) }
    }
    #expect(daemon.shard.tableCount == 0 && daemon.shard.shares.count == 0)
    var joined = 0
    for number in 0..<6 where Peer(daemon, table: "s\(number)", type: "", from: Self.other).welcome != nil {
      joined += 1
    }
    let loads = daemon.shard.largestAccounts(9, at: daemon.now)
    #expect((3...4).contains(joined), "\(joined)")
    #expect(loads.first { $0.peer == Self.other }?.contentBytes ?? 0 >= 600_000, "it pays for what the stranger cannot")
    #expect(Peer(daemon, table: "new", type: "list?items=100", from: PeerID(high: 0, low: 3)).welcome != nil)
  }
}
