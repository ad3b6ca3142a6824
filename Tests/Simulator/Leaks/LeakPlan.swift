import BaizeSync
import BaizeTable
import BaizeWire
import BaizeWorkload

/// The parameters that both tables of a pair have in common.
struct LeakPlan {
  /// The seed of the daemon.
  let seed: UInt64
  /// The table type, as a hello names it.
  let typeName: String
  let roles: [Role]
  /// The participant that must not be able to tell the tables apart.
  let watcher: Int
  let durability: Durability
  let limits: SyncLimits
  private let setUpItemsAtOnceMax: Int
  /// Whether operations at the second table name the items at the same positions; otherwise those with the same ids.
  let addressesByPosition: Bool

  init(typeName: String, _ type: TableType, _ random: inout RandomSource) {
    self.typeName = typeName
    seed = random.next()
    let players = min(type.seatsMax, 2 + random.below(3))
    roles = Array(repeating: .player, count: players) + Array(repeating: .spectator, count: 1 + random.below(2))
    watcher = random.below(roles.count)
    durability = random.happens(onceIn: 2) ? .memory : random.pick([.strict, .relaxed])
    addressesByPosition = random.happens(onceIn: 2)
    var limits = SyncLimits()
    if random.happens(onceIn: 3) { limits.tables.snapshotPartItemsMax = 5 }
    if random.happens(onceIn: 3) { limits.tables.snapshotPartBytesMax = 300 }
    if random.happens(onceIn: 4) { limits.tables.snapshotAfterBytes = 500 }
    // Bounds that a pair reaches.
    if random.happens(onceIn: 2) { limits.tables.logBytesMax = 100 + random.below(4_000) }
    if random.happens(onceIn: 2) { limits.tables.logBytesWhileLoadingMax = 100 + random.below(4_000) }
    if random.happens(onceIn: 3) {
      let initial = Table(type: type, random: RandomSource(seed: seed)).state.contentBytes
      limits.tables.contentBytesPerTableMax = initial + random.below(8_000)
    }
    if random.happens(onceIn: 2) { limits.tables.history.undoBytesMax = random.below(1_000) }
    // Where views differ, each revision counts 64 take-outs and notes.
    if random.happens(onceIn: 3) { limits.tables.history.undoNotesMax = random.below(random.pick([20, 1_000])) }
    if random.happens(onceIn: 3) { limits.tables.history.undoTakeOutsMax = random.below(random.pick([20, 1_000])) }
    if random.happens(onceIn: 3) { limits.tables.history.takeOutsMax = 1 + random.below(random.pick([20, 1_000])) }
    self.limits = limits
    setUpItemsAtOnceMax = random.happens(onceIn: 4) ? 0 : .max
  }

  func hostOptions(_ types: LeakTypes, starts: Int) -> ShardHostOptions {
    ShardHostOptions {
      $0.types = types
      $0.seed = seed &+ UInt64(starts)
      $0.limits = limits
      $0.durability = durability
      $0.setUpItemsAtOnceMax = setUpItemsAtOnceMax
    }
  }
}
