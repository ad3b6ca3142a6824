import BaizeSync
import BaizeWorkload

/// A shard with eight connections that send anything, in any order, while the disk fills, the process dies and time
/// passes. An input is a script of these events.
///
/// Every member of a table follows it by the received messages alone. They must be readable and in order and lead to the
/// daemon's hash (I1, I2); every operation gets its answer; tables stay valid (I4); and the journal leads to the same
/// tables (I7).
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
