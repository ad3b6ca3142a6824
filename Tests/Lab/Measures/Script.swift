import BaizeCommandLine
import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeWorkload

extension Measure {
  private static let operations = NumberOption(
    "--operations", "N", "The number of operations to play.", in: 0...1_000_000, "operations", standard: 8_192)
  private static let of = NumberOption(
    "--of", "N", "The number of operations in the script, of which the first are played.", in: 0...1_000_000,
    "operations", standard: 16_384)
  private static let (tables, players) = (8, 4)

  /// A fixed script of moves on `grid` through a shard without sockets, for `Tests/instructions.sh`, which counts the
  /// instructions of two runs and divides the difference by that of the operations: every player sends `window` operations a
  /// turn, all on the revision that the turn began with.
  ///
  /// The same seed gives the same frames, and the same frames the same instructions. All frames are made in a rehearsal,
  /// whatever number of them is then played, so that two runs differ by the shard's work alone.
  static let script = Measure(
    "script", "A fixed script on a shard without sockets.",
    summary: "Plays a fixed script of operations on a shard without sockets, for tools that count instructions.",
    options: [operations, of, .window.standard(16), .durability]
  ) { lab in
    let mode = try lab.durability(.memory)
    let operationsPerTurn = tables * players * lab[.window]
    let turns = try rehearse(turns: lab[of] / operationsPerTurn, window: lab[.window], mode)
    let shard = try makeShard(mode)
    let joining = shard.framesSent
    for turn in turns.prefix(lab[operations] / operationsPerTurn) { try play(turn, on: shard) }
    lab.add("frames sent", Double(shard.framesSent - joining), "")
  }

  /// Returns the bytes that each player sends, turn by turn.
  private static func rehearse(turns count: Int, window: Int, _ durability: Durability) throws -> [[[UInt8]]] {
    let shard = try makeShard(durability)
    var random = RandomSource(seed: 2)
    return try (0..<count).map { _ in
      let turn = shard.players.indices.map { player in
        let state = shard.state(at: player)
        return (0..<UInt32(window)).flatMap { number in
          guard let kind = state.anyMove(&random, not: []) else { preconditionFailure("the table is empty") }
          return shard.frame(of: kind, base: state.revision, unanswered: number, by: player)
        }
      }
      try play(turn, on: shard)
      return turn
    }
  }

  private static func makeShard(_ durability: Durability) throws -> PlayedShard {
    try .measured(tables: tables, players: players, type: "grid", durability: durability)
  }

  private static func play(_ turn: [[UInt8]], on shard: PlayedShard) throws {
    for (player, frames) in turn.enumerated() { shard.receive(frames, from: player) }
    try shard.endTurn()
  }
}
