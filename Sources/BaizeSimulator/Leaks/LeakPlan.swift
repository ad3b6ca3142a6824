import BaizeSync
import BaizeTable
import BaizeWire

/// What both tables of a pair have in common.
struct LeakPlan {
  /// The chance that the daemon is given.
  let seed: UInt64
  /// As a hello would name it.
  let typeName: String
  let roles: [Role]
  /// Who must not be able to tell the tables apart.
  let watcher: Int
  let durability: Durability
  let limits: SyncLimits
  private let setUpItemsAtOnceMax: Int
  /// Whether the second table is asked for what lies at the same places; otherwise for the items of the same names.
  let goesByPlaces: Bool

  init(typeName: String, seatsMax: Int, _ random: inout RandomSource) {
    self.typeName = typeName
    seed = random.next()
    let players = min(seatsMax, 2 + random.below(3))
    roles = Array(repeating: .player, count: players) + Array(repeating: .spectator, count: 1 + random.below(2))
    watcher = random.below(roles.count)
    durability = random.happens(onceIn: 2) ? .memory : random.pick([.strict, .relaxed])
    goesByPlaces = random.happens(onceIn: 2)
    var limits = SyncLimits()
    if random.happens(onceIn: 3) { limits.snapshotPartItemsMax = 5 }
    if random.happens(onceIn: 3) { limits.snapshotPartBytesMax = 300 }
    if random.happens(onceIn: 4) { limits.snapshotAfterBytes = 500 }
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
