import BaizeClient
import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeWire

/// A shard machine with a journal and players that submit random operations. Each turn is committed as it ends.
struct JournalledShard {
  private var shard: ShardMachine
  private let journal: any Journal
  private var random: RandomSource
  private var players: [Player] = []
  private var now = Instant(nanoseconds: 1_000_000_000)

  private struct Player {
    var connection: ConnectionID
    var table: String
    var sequence: UInt64 = 0
    var epoch: Epoch
  }

  init(_ journal: any Journal, seed: UInt64, snapshotAfterBytes: Int = 2_000) {
    self.journal = journal
    random = RandomSource(seed: seed)
    var limits = SyncLimits()
    limits.snapshotAfterBytes = snapshotAfterBytes
    limits.snapshotPartItemsMax = 20
    limits.operationsPerSecondMax = 0
    shard = ShardMachine(
      types: BundledTypes(), random: RandomSource(seed: seed), limits: limits, durability: .strict)
  }

  /// Returns the machine's state of a table.
  func state(of table: String) -> TableState? { shard.state(ofTable: table) }

  /// Adds a player to a table, which is created if necessary.
  mutating func join(_ table: String, type: String, name: String, epoch: UInt64 = 1) throws {
    let connection = ConnectionID(slot: UInt32(players.count), generation: 1)
    shard.connected(connection, at: now)
    players.append(Player(connection: connection, table: table, epoch: Epoch(rawValue: epoch)))
    send(.hello(Hello(table: table, tableType: type, name: name)), players.count - 1)
    // A table that must be loaded is available in the second turn.
    for _ in 1...2 { try endTurn() }
  }

  /// Lets every player act in each turn.
  mutating func play(turns: Int) throws {
    for _ in 0..<turns {
      for player in players.indices {
        for _ in 0...random.next(below: 3) { act(player) }
      }
      try endTurn()
    }
  }

  private mutating func act(_ player: Int) {
    guard let state = shard.state(ofTable: players[player].table), let kind = anything(at: state) else { return }
    players[player].sequence += 1
    let operation = TableOperation(
      sequence: SequenceNumber(rawValue: players[player].sequence), base: state.revision, epoch: players[player].epoch,
      kind: kind)
    send(.operation(operation), player)
  }

  private mutating func anything(at state: TableState) -> TableOperation.Kind? {
    let actions = state.type.actions.map(\.name)
    if !actions.isEmpty, random.next(below: 3) == 0 {
      return .perform(action: actions[pick(actions.count)], items: [], nil)
    }
    let items = state.handles.flatMap { state.itemIDs(in: $0) }
    let to = state.handles[pick(state.handles.count)]
    guard !items.isEmpty else { return nil }
    let difference = ReorderDifference(sources: [items[pick(items.count)]], destination: .end(of: to))
    return .reorder(difference, suggested: [])
  }

  private mutating func pick(_ count: Int) -> Int { Int(random.next(below: UInt64(count))) }

  // MARK: Host

  private mutating func send(_ message: ClientMessage, _ player: Int) {
    let connection = players[player].connection
    message.encoded().withUnsafeBytes { shard.received($0, on: connection, at: now) }
  }

  private mutating func endTurn() throws {
    now = now.advanced(byMilliseconds: 10)
    let turn = shard.endTurn()
    try journal.append(turn.writes)
    try journal.commit()
    if let number = turn.number { shard.committed(number) }
    for name in turn.loads {
      let stored = try journal.table(named: name)
      shard.loaded(name, .success(try stored.map { try RestoredTable($0, types: TableTypeCompiler.shared) }), at: now)
    }
    while let batch = shard.nextReleased() { shard.recycle(batch) }
  }
}

/// The bundled table types.
private struct BundledTypes: TableTypeSource {
  func tableType(named text: String) throws(TableTypeFailure) -> TableType {
    do throws(TableTypeError) {
      return try TableTypeLibrary.bundled.tableType(text)
    } catch {
      throw .unknownType(detail: "\(error)")
    }
  }
}
