import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeWire

/// A shard's machine and its journal, with players that submit random operations; every turn is committed as it ends.
struct JournalledShard<Storage: Journal> {
  private var host: ShardHost<Storage>
  private var random: RandomSource
  private var players: [Player] = []
  private var now = Instant(nanoseconds: 1_000_000_000)

  private struct Player {
    let connection: ConnectionID
    let table: String
    let epoch: Epoch
    var sequence = SequenceNumber.zero
  }

  init(_ journal: Storage, seed: UInt64, snapshotAfterBytes: Int = 2_000) {
    random = RandomSource(seed: seed)
    let options = ShardHostOptions {
      $0.seed = seed
      $0.limits.snapshotAfterBytes = snapshotAfterBytes
      $0.limits.snapshotPartItemsMax = 20
      $0.limits.operationsPerSecondMax = 0
    }
    host = ShardHost(options, journal)
  }

  /// The machine's state of the table.
  func state(of table: String) -> TableState? { host.shard.state(ofTable: table) }

  /// Takes a seat at a table, which is created if it does not exist.
  mutating func join(_ table: String, type: String, name: String, epoch: UInt64 = 1) throws {
    let connection = host.connect(slot: players.count, at: now)
    players.append(Player(connection: connection, table: table, epoch: Epoch(rawValue: epoch)))
    host.receive(.hello(Hello(table: table, tableType: type, name: name)), on: connection, at: now)
    // A table that has to be loaded is there in the second turn.
    for _ in 1...2 { try endTurn() }
  }

  /// Lets every player submit operations, again and again.
  mutating func play(turns: Int) throws {
    for _ in 0..<turns {
      for player in players.indices {
        for _ in 0...random.below(3) { act(player) }
      }
      try endTurn()
    }
  }

  private mutating func act(_ player: Int) {
    guard let state = state(of: players[player].table),
      let kind = ClientAction.random(at: state, by: SeatNumber(rawValue: 1), &random).operation(
        at: state, after: players[player].sequence)
    else { return }
    players[player].sequence = players[player].sequence.next
    let operation = TableOperation(
      sequence: players[player].sequence, base: state.revision, epoch: players[player].epoch, kind: kind)
    host.receive(.operation(operation), on: players[player].connection, at: now)
  }

  private mutating func endTurn() throws {
    now = now.advanced(byMilliseconds: 10)
    try host.runTurn(at: now)
  }
}
