import BaizeTable

/// What accounts hold on a shard, and of memory on all shards.
///
/// An address of IPv6 counts to three accounts: its own, and those of its networks. What a table was charged for before the daemon
/// started counts to the networks as soon as somebody comes from that address.
struct ShareAccounts {
  private struct Account {
    /// The peer or network; `nil` if it is known only from the journal.
    var peer: PeerID?
    var isNetwork = false
    /// Whether it stands for many people, so that it has no share.
    var isShared = false
    var networks: (AccountKey, AccountKey)?
    var amounts = ShareAmounts()
    /// What the ledger knows of its memory here, and what it said of that on all shards then.
    var told = 0
    var everywhere = 0
    /// The index in `keys`.
    var index = 0

    /// Its memory on all shards.
    var memory: Int { everywhere + amounts.memory - told }
    var weight: Int { isNetwork && peer?.low == 48 ? ServerLimits.siteWeight : 1 }
    /// What it holds, as what an account of weight 1 would hold.
    var load: ShareAmounts {
      ShareAmounts(
        memory: memory / weight, sessions: amounts.sessions / weight, contents: amounts.contents / weight,
        floors: amounts.floors / weight)
    }
  }

  private var accounts: [AccountKey: Account] = [:]
  private var keys: [AccountKey] = []
  private let ledger: (any ShareLedger)?
  private let access: AccessKey
  /// The floors of all accounts, in bytes.
  private(set) var floorBytes = 0
  /// At least what any account holds, as the most of one of weight 1.
  private(set) var most = ShareAmounts()
  private var mostSoFar = ShareAmounts()
  /// The index of the next account that is visited.
  private var visited = 0

  /// - Parameters:
  ///   - ledger: What accounts hold on all shards; `nil` if there is no other.
  ///   - access: The key to the names of accounts.
  init(ledger: (any ShareLedger)? = nil, access: AccessKey? = nil) {
    self.ledger = ledger
    self.access = access ?? AccessKey(high: 0, low: 0)
  }

  /// The number of accounts: each of them holds something.
  var count: Int { accounts.count }

  func key(of peer: PeerID) -> AccountKey { access.account(of: peer) }

  /// Returns the peer of an account; `nil` if nobody has come from there since the daemon started, or for the common one.
  func peer(of key: AccountKey) -> PeerID? { accounts[key]?.peer }

  // MARK: Charging

  /// Changes what an account holds.
  ///
  /// - Parameter peer: Its peer, where it is known.
  mutating func add(_ change: ShareAmounts, to key: AccountKey, of peer: PeerID? = nil) {
    if let peer { meet(peer, key) }
    let networks = accounts[key]?.networks
    floorBytes += change.floors
    self.change(change, key)
    if let networks {
      self.change(change, networks.0)
      self.change(change, networks.1)
    }
  }

  /// Notes that an account stands for many people.
  mutating func share(_ key: AccountKey) { accounts[key]?.isShared = true }

  /// Notes the peer of an account, and lets what it has count to its networks.
  private mutating func meet(_ peer: PeerID, _ key: AccountKey) {
    guard peer != .unknown, accounts[key]?.peer == nil else { return }
    if accounts[key] == nil { open(key) }
    accounts[key]?.peer = peer
    guard let (customer, site) = peer.networks else { return }
    let networks = (self.key(of: customer), self.key(of: site))
    accounts[key]?.networks = networks
    let amounts = accounts[key]?.amounts ?? ShareAmounts()
    for (network, key) in [(customer, networks.0), (site, networks.1)] {
      if accounts[key] == nil { open(key) }
      accounts[key]?.peer = network
      accounts[key]?.isNetwork = true
      change(amounts, key, keeps: true)
    }
  }

  private mutating func open(_ key: AccountKey) {
    accounts[key] = Account(index: keys.count)
    keys.append(key)
  }

  private mutating func change(_ change: ShareAmounts, _ key: AccountKey, keeps: Bool = false) {
    if accounts[key] == nil { open(key) }
    guard var account = accounts[key] else { return }
    account.amounts = account.amounts + change
    if account.amounts.isNothing, !keeps { return close(key, account) }
    if abs(account.amounts.memory - account.told) >= ServerLimits.accountStepBytes { tell(&account, key) }
    accounts[key] = account
    note(account)
  }

  private mutating func note(_ account: Account) {
    let load = account.load
    most = most.larger(load)
    mostSoFar = mostSoFar.larger(load)
  }

  private func tell(_ account: inout Account, _ key: AccountKey) {
    account.everywhere = ledger?.add(account.amounts.memory - account.told, to: key) ?? account.amounts.memory
    account.told = account.amounts.memory
  }

  private mutating func close(_ key: AccountKey, _ account: Account) {
    if account.told != 0 { _ = ledger?.add(-account.told, to: key) }
    accounts[key] = nil
    let last = keys.removeLast()
    guard last != key else { return }
    keys[account.index] = last
    accounts[last]?.index = account.index
  }

  // MARK: The rule

  /// Returns how much more an account may take: by its own share, and by those of its networks.
  ///
  /// - Returns: The least of these; memory counts twice what contents do, as in ``ShardMachine/hasRoom(forTableOf:)``.
  mutating func room(for key: AccountKey, memory: Shares, contents: Shares) -> Int {
    var room = min(memory.room(beside: 0) / 2, contents.room(beside: 0))
    forEach(of: key) { account in
      room = min(
        room, memory.room(beside: account.memory, weight: account.weight) / 2,
        contents.room(beside: account.amounts.contents, weight: account.weight))
    }
    return room
  }

  /// Returns how much more of the reserve for floors an account may take.
  mutating func roomForFloors(_ key: AccountKey, of reserve: Int) -> Int {
    let shares = Shares(of: reserve, held: floorBytes)
    var room = shares.room(beside: 0)
    forEach(of: key) { room = min(room, shares.room(beside: $0.amounts.floors, weight: $0.weight)) }
    return room
  }

  /// Returns whether an account, or one of its networks, holds more memory than it could have taken.
  mutating func exceeds(_ memory: Shares, _ key: AccountKey) -> Bool {
    var exceeds = false
    forEach(of: key) { exceeds = exceeds || memory.isExceeded(by: $0.memory, weight: $0.weight) }
    return exceeds
  }

  /// Returns whether an account, or one of its networks, holds more memory than it could have taken, as far as this shard knows.
  func holdsMuch(_ memory: Shares, _ key: AccountKey) -> Bool {
    holds(key) { memory.isExceeded(by: $0.memory, weight: $0.weight) }
  }

  /// Returns the same for the memory of sessions, on this shard alone.
  func holdsManySessions(_ memory: Shares, _ key: AccountKey) -> Bool {
    holds(key) { memory.isExceeded(by: $0.amounts.sessions, weight: $0.weight) }
  }

  private func holds(_ key: AccountKey, _ isMuch: (Account) -> Bool) -> Bool {
    guard let account = accounts[key], !account.isShared else { return false }
    guard let networks = account.networks else { return isMuch(account) }
    return isMuch(account) || accounts[networks.0].map(isMuch) ?? false || accounts[networks.1].map(isMuch) ?? false
  }

  /// Visits an account and those of its networks, as they are on all shards now.
  private mutating func forEach(of key: AccountKey, _ body: (Account) -> Void) {
    guard let networks = refresh(key, body) else { return }
    _ = refresh(networks.0, body)
    _ = refresh(networks.1, body)
  }

  private mutating func refresh(_ key: AccountKey, _ body: (Account) -> Void) -> (AccountKey, AccountKey)? {
    guard var account = accounts[key] else {
      // It may hold something on another shard.
      var account = Account()
      account.everywhere = ledger?.add(0, to: key) ?? 0
      body(account)
      return nil
    }
    tell(&account, key)
    accounts[key] = account
    note(account)
    body(account)
    return account.networks
  }

  // MARK: Inspecting

  /// Visits a bounded number of accounts, and knows the most of one when all were visited.
  mutating func sweep() {
    for _ in 0..<min(Self.visitsPerSweep, keys.count) {
      if visited >= keys.count { break }
      _ = refresh(keys[visited]) { _ in }
      visited += 1
    }
    guard visited >= keys.count else { return }
    (most, mostSoFar, visited) = (mostSoFar, ShareAmounts(), 0)
  }

  private static let visitsPerSweep = 1_024

  /// Returns what the accounts hold that hold the most memory here.
  ///
  /// - Complexity: O(number of accounts).
  func largest(_ count: Int) -> [PeerLoad] {
    var largest = TopList<PeerLoad>(count) { ($0.bytes, $0.contentBytes) > ($1.bytes, $1.contentBytes) }
    for key in keys {
      guard let account = accounts[key], !account.isNetwork else { continue }
      var load = PeerLoad(peer: account.peer ?? .unknown)
      (load.bytes, load.contentBytes) = (account.amounts.memory, account.amounts.contents)
      largest.insert(load)
    }
    return largest.all
  }
}

extension ShareAmounts {
  /// Returns the more of each.
  fileprivate func larger(_ other: Self) -> Self {
    ShareAmounts(
      memory: max(memory, other.memory), sessions: max(sessions, other.sessions),
      contents: max(contents, other.contents), floors: max(floors, other.floors))
  }
}
