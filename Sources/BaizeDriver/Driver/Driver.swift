package import BaizeTable
package import BaizeTransport
package import BaizeWire
import BaizeWorkload

/// Many members of tables at a daemon, who cost the harness little: they join, submit operations, count what they receive,
/// and are compared with the daemon. Of a diff only the header is read, except by the first member of a table whose copy
/// operations are chosen from. Whole clients are ``LedgerPlay``'s.
///
/// ```
/// let driver = try Driver(options)
/// try driver.join(address)
/// driver.submit(.choices, window: 4)
/// try driver.run(seconds: 5)
/// driver.settle()
/// let faults = driver.compare()
/// ```
package final class Driver {
  let connections: ConnectionSet
  /// The number of members at each table, and of those among them that submit. A table's members have numbers in a row, its
  /// players first.
  let perTable: Int
  let players: Int
  /// Whether latencies are recorded, which costs a reading of the clock for each read.
  let isTimed: Bool
  private let hello: (Int) -> Hello?
  private let credentialSeed = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
  @exclusivity(unchecked) var members: [DriverMember] = []
  @exclusivity(unchecked) var seats: [DriverSeat]
  @exclusivity(unchecked) var tables: [DrivenTable]
  @exclusivity(unchecked) var supply: Supply
  /// The counts since they were last taken, or since everyone began to join.
  @exclusivity(unchecked) package internal(set) var counters = LoadCounters()
  @exclusivity(unchecked) var noted = LoadFaults()
  /// The number of revisions that members have skipped and not received since.
  var skippedCount: UInt64 = 0
  @exclusivity(unchecked) var writer = ByteWriter()
  /// The time of the present read, if latencies are recorded.
  @exclusivity(unchecked) var now: UInt64 = 0
  var progress = Progress()
  /// The type of all tables, once a player has been welcomed.
  var type: TableType?
  /// The items of the last snapshot, if they are to be kept.
  var items: [Item]?
  /// The diffs that a relay is to answer with, by player; `nil` for a daemon.
  let answers: [[UInt8]]?

  /// The steps that all members take together.
  struct Progress {
    var liveCount = 0
    /// The number of the last ping.
    var round: UInt64 = 0
    /// The time of the last welcome, in monotonic nanoseconds.
    var welcomedAt: UInt64 = 0
    /// The deliveries and accepted operations that were taken from the counters.
    var taken = (deliveries: UInt64(0), accepted: UInt64(0))
  }

  /// Prepares members. None of them connects yet.
  ///
  /// - Parameters:
  ///   - perTable: The number of members at each table.
  ///   - players: The number of them that submit operations.
  ///   - usesWebSocket: Whether they connect by WebSocket.
  ///   - isTimed: Whether latencies are recorded.
  ///   - seed: The seed of all choices.
  ///   - original: For a relay: the driver of a daemon, whose routes and diffs are repeated.
  ///   - hello: The hello of each member, without session data; `nil` for a member that sends nothing.
  package init(
    count: Int, perTable: Int = 1, players: Int = 0, usesWebSocket: Bool = false, isTimed: Bool = false,
    seed: UInt64 = 1, like original: Driver? = nil, hello: @escaping (Int) -> Hello?
  ) throws {
    connections = try ConnectionSet(usesWebSocket: usesWebSocket)
    (self.perTable, self.players, self.isTimed, self.hello) = (perTable, players, isTimed, hello)
    seats = Array(repeating: DriverSeat(), count: count)
    tables = Array(repeating: DrivenTable(), count: (count + perTable - 1) / perTable)
    supply = Supply(random: RandomSource(seed: seed))
    answers = original?.seats.prefix(perTable).map(\.sample)
    for number in 0..<count {
      members.append(DriverMember(table: number / perTable, isPlayer: number % perTable < players))
    }
    guard let original else { return }
    if answers?.contains(where: \.isEmpty) == true { throw RunFailure("the run was too short") }
    repeatRoutes(of: original)
  }

  /// Prepares the members of a load.
  ///
  /// - Parameter original: For a relay: the driver of a daemon, whose routes and diffs are repeated.
  /// - Throws: ``RunFailure`` if that has received too little to repeat.
  package convenience init(_ options: LoadOptions, like original: Driver? = nil) throws {
    let perTable = options.players + options.spectators
    try self.init(
      count: options.tables * perTable, perTable: perTable, players: options.players,
      usesWebSocket: options.usesWebSocket, isTimed: options.isTimed, seed: options.seed, like: original
    ) {
      Hello(
        table: options.tableName($0 / perTable), tableType: options.tableType, name: "load",
        role: $0 % perTable < options.players ? .player : .spectator)
    }
  }

  package var loop: EventLoop { connections.loop }

  /// The faults so far.
  package var faults: LoadFaults {
    var faults = noted
    // A relay repeats one revision.
    if answers != nil { (faults.doubled, faults.reordered) = (0, 0) }
    faults.lost &+= skippedCount
    return faults
  }

  /// The time of the last welcome, in monotonic nanoseconds; 0 before.
  package var welcomedAt: UInt64 { progress.welcomedAt }

  /// Takes the counts since the last call.
  package func takeCounters() -> LoadCounters {
    defer { counters = LoadCounters() }
    progress.taken.deliveries += counters.deliveries
    progress.taken.accepted += counters.accepted
    return counters
  }

  // MARK: Joining

  /// Begins to connect everyone at once.
  package func connect(to address: SocketAddress) throws {
    for number in members.indices { try connect(number, to: address) }
  }

  private func connect(_ number: Int, to address: SocketAddress) throws {
    if isTimed { seats[number].connectedAt = MonotonicClock.now() }
    members[number].key = try connections.connect(to: address, as: number)
    members[number].isLive = false
  }

  /// Connects everyone, those who were members before with their sessions, and waits until each has its table.
  ///
  /// - Parameters:
  ///   - connectingMax: The maximum number of members that connect at once.
  ///   - target: The revision to reach, by member.
  /// - Returns: The nanoseconds from the first attempt until the last member had caught up.
  /// - Throws: The first failure of a member.
  @discardableResult
  package func join(
    _ address: SocketAddress, connectingMax: Int = .max, seconds: Double = Double(HangGuard.seconds),
    target: (Int) -> Revision = { _ in .zero }
  ) throws -> UInt64 {
    counters = LoadCounters()
    progress.liveCount = 0
    for number in members.indices { seats[number].target = target(number) }
    var next = 0
    return try run(
      seconds: seconds, for: "everyone to join: \(progress.liveCount) of \(members.count) have"
    ) {
      if let failure = faults.failure { throw RunFailure("while waiting for everyone to join: \(failure)") }
      while next < members.count, next - progress.liveCount < connectingMax {
        try connect(next, to: address)
        next += 1
      }
      return progress.liveCount == members.count
    }
  }

  /// Returns the credential of a member, which no other member of any driver has.
  private func credential(of number: Int) -> [UInt8] {
    [credentialSeed.0, credentialSeed.1, UInt64(number), 0].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
    }
  }

  func opened(_ number: Int) {
    guard let key = members[number].key else { return }
    if let answers { return introduce(number, answers[number % perTable], to: key) }
    guard var hello = hello(number) else { return }
    seats[number].attempts += 1
    (hello.credential, hello.ticket) = (credential(of: number), seats[number].ticket)
    hello.attempt = seats[number].attempts
    hello.epoch = seats[number].epoch
    hello.revision = Revision(rawValue: members[number].revision)
    connections.send(.hello(hello), to: key)
  }

  /// Sends a relay a member's table, in two bytes, and the answer to all of its frames.
  private func introduce(_ number: Int, _ answer: [UInt8], to key: ConnectionKey) {
    let table = number / perTable
    writer.removeAll()
    writer.delimited { writer in
      ([UInt8(table & 0xFF), UInt8(table >> 8)] + answer).withUnsafeBytes { writer.append($0) }
    }
    writer.withUnsafeBytes { connections.append($0, to: key) }
  }

  func ended(_ number: Int, _ reason: String) {
    noted.noteEnd(reason)
    members[number].key = nil
    members[number].isLive = false
  }

  // MARK: Steps

  /// Sends a ping from everyone who has a connection, and waits for the answers.
  ///
  /// - Parameters:
  ///   - wantHashes: Whether the daemon is asked for the hashes of its views.
  ///   - isDone: Holds for a member that need not be waited for any longer, once it is answered.
  /// - Throws: ``RunFailure`` when they do not come in time.
  package func ping(wantHashes: Bool = false, _ isDone: (Int) -> Bool = { _ in true }) throws {
    progress.round += 1
    for number in members.indices {
      seats[number].isAnswered = false
      guard let key = members[number].key else { continue }
      connections.send(.ping(Ping(nonce: progress.round, wantsHash: wantHashes)), to: key)
    }
    try run(for: "everyone to be answered") {
      members.indices.allSatisfy { members[$0].key == nil || (seats[$0].isAnswered && isDone($0)) }
    }
  }

  /// Closes every connection without a goodbye.
  package func cut() throws { try close(afterFlush: false) { _ in } }

  /// Ends every session with a goodbye.
  package func leave() throws { try close(afterFlush: true) { connections.send(.goodbye(Goodbye(.leaving)), to: $0) } }

  private func close(afterFlush: Bool, _ goodbye: (ConnectionKey) -> Void) throws {
    for number in members.indices {
      guard let key = members[number].key.take() else { continue }
      goodbye(key)
      connections.drop(key, afterFlush: afterFlush)
    }
    try run(for: "the connections to close") { connections.loop.connectionCount == 0 }
  }

  // MARK: A single reader

  /// Joins a table as a new spectator, and reads all of it.
  ///
  /// - Throws: ``RunFailure`` if it does not arrive in time.
  package static func readTable(
    _ name: String, at address: SocketAddress, seconds: Double = Double(HangGuard.seconds)
  ) throws -> (items: [Item], revision: Revision) {
    let reader = try Driver(count: 1) { _ in Hello(table: name, name: "reader", role: .spectator) }
    reader.items = []
    do {
      try reader.join(address, seconds: seconds)
    } catch {
      throw RunFailure("table \(name): \(error)")
    }
    return (reader.items ?? [], Revision(rawValue: reader.members[0].revision))
  }
}
