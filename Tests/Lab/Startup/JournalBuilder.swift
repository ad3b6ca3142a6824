import BaizeDriver
import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeWorkload

/// Fills a journal with the writes of a real shard, as fast as possible: one player per table and one move per turn, so that
/// every diff is a record of its own.
struct JournalBuilder {
  private let shard: PlayedShard
  private var random = RandomSource(seed: 1)

  init(_ journal: any Journal) {
    let options = ShardHostOptions {
      $0.types = CachedTableTypes()
      $0.limits.sessions.operationsPerSecondMax = 0
    }
    shard = PlayedShard(options, journal)
  }

  /// - Parameters:
  ///   - tables: The number of tables.
  ///   - type: Their type, in whose first collection all items may be moved.
  ///   - diffs: The total number of diffs, besides those that seat the players.
  mutating func build(tables count: Int, type: String, diffs: Int) throws {
    for name in (0..<count).map(Measure.startupTable) {
      try shard.join(name, type: type, name: "builder")
      guard let state = shard.state(of: name), state.itemCount > 2 else {
        throw RunFailure("table \(name) was not made, or is too small")
      }
    }
    for start in stride(from: 0, to: diffs, by: max(1, count)) {
      for number in 0..<min(count, diffs - start) { move(number) }
      try shard.endTurn()
    }
  }

  /// Moves the first item before one further on, so that there is a diff.
  private mutating func move(_ number: Int) {
    guard let state = shard.state(of: shard.players[number].table) else { return }
    let collection = CollectionHandle(rawValue: 1)
    let offset = 2 + random.below(state.count(in: collection) - 2)
    guard let item = state.firstItem(in: collection), let anchor = state.item(at: offset, in: collection) else {
      return
    }
    shard.submit(.move([item], to: .before(anchor, in: collection)), by: number)
  }
}
