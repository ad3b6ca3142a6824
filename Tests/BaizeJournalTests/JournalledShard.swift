import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeWorkload

/// A shard with players who try anything.
struct JournalledShard {
  private let shard: PlayedShard
  private var random: RandomSource

  init(_ journal: any JournalStore, seed: UInt64, snapshotAfterBytes: Int = 2_000) {
    random = RandomSource(seed: seed)
    let options = ShardHostOptions {
      $0.seed = seed
      $0.limits.tables.snapshotAfterBytes = snapshotAfterBytes
      $0.limits.tables.snapshotPartItemsMax = 20
      $0.limits.sessions.operationsPerSecondMax = 0
    }
    shard = PlayedShard(options, journal)
  }

  func state(of table: String) -> TableState? { shard.state(of: table) }

  func join(_ table: String, type: String, name: String, epoch: UInt64 = 1) throws {
    try shard.join(table, type: type, name: name, epoch: epoch)
  }

  /// Has the first player invite spectators.
  mutating func invite() throws {
    shard.submit(HostAction.inviteSpectators.operation, by: 0)
    try shard.endTurn()
  }

  /// Lets every player submit operations, again and again.
  mutating func play(turns: Int) throws {
    for _ in 0..<turns {
      for player in shard.players.indices {
        for _ in 0...random.below(3) { act(player) }
      }
      try shard.endTurn()
    }
  }

  private mutating func act(_ player: Int) {
    guard let state = state(of: shard.players[player].table) else { return }
    var generator = Generator(.worlds)
    let next = generator.next(at: state, by: SeatNumber(rawValue: 1), &random)
    guard let kind = next?.operation(at: state, after: shard.players[player].sequence) else { return }
    shard.submit(kind, by: player)
  }
}
