import BaizeSimulator
import BaizeSync

/// A shard at the hands of eight connections that say anything, in any order, while the disk fills, the process dies and
/// time passes: an input is a script of that.
///
/// Every connection that is at a table follows it, by what it is sent alone. What it is sent must be readable and in
/// order and lead to the daemon's hash (I1, I2); every operation gets its answer; tables stay sound (I4); and the journal
/// leads to the same tables (I7).
enum ShardTarget {
  static func run(_ input: [UInt8]) -> Bool {
    var script = InputScript(input)
    let world = HostileWorld(
      seed: UInt64(script.byte()), durability: script.pick([.strict, .strict, .relaxed, .memory]),
      roomy: script.happens(onceIn: 2))
    while !script.isAtEnd { world.step(&script) }
    return world.finish()
  }
}
