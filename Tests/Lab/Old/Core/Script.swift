import BaizeCommandLine
import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeWire
import BaizeWorkload

extension MeasureCommand {
  /// `baize-lab script`: plays a fixed script on a shard without sockets, for `Tests/instructions.sh`, which counts the
  /// instructions of two runs and divides the difference by that of the operations.
  static var script: MeasureCommand {
    let operations = NumberOption(
      "--operations", "N", "The number of operations to play.", in: 0...1_000_000, "operations", standard: 8_192)
    let of = NumberOption(
      "--of", "N", "The number of operations in the script, of which the first are played.", in: 0...1_000_000,
      "operations", standard: 16_384)
    let window = NumberOption.window(standard: 16)
    let durability = CommandOption(
      "--durability", "MODE", "memory, or strict to write the records.", standard: "memory")
    return MeasureCommand(
      "script", "A fixed script on a shard without sockets.",
      summary: "Plays a fixed script of operations on a shard without sockets, for tools that count instructions.",
      options: [operations.option, of.option, window.option, durability]
    ) { parsed in
      let window = try window(parsed)
      let count = try operations(parsed)
      let mode: Durability = parsed.text(durability.flag) == "strict" ? .strict : .memory
      let script = Script(operations: try of(parsed), window: window, durability: mode)
      let sent = script.play(turns: count / (Script.tables * Script.players * window))
      Console.print("\(count) operations, \(sent) frames sent")
      return (true, ["operations": count, "frames": sent])
    }
  }
}

/// A fixed script of moves on `grid` through a shard without sockets: every player sends `window` operations a turn, all
/// on the revision that the turn began with.
///
/// The same seed gives the same frames, and the same frames the same instructions. All frames are made in a rehearsal,
/// whatever number of them is then played, so that two runs differ by the shard's work alone.
struct Script {
  static let tables = 8
  static let players = 4

  /// The bytes that each connection sends, turn by turn.
  private var turns: [[[UInt8]]] = []
  private let durability: Durability

  init(operations: Int, window: Int, durability: Durability) {
    self.durability = durability
    let shard = Self.makeShard(durability)
    var random = RandomSource(seed: 2)
    var sequence: UInt64 = 0
    let turnCount = operations / (Self.tables * Self.players * window)
    turns.reserveCapacity(turnCount)
    for _ in 0..<turnCount {
      var turn = [[UInt8]](repeating: [], count: shard.connections.count)
      for connection in shard.connections.indices {
        let state = shard.state(ofTable: connection / Self.players)
        for number in 1...UInt64(window) {
          let operation = TableOperation(
            sequence: SequenceNumber(rawValue: sequence + number), base: state.revision, epoch: Epoch(rawValue: 1),
            unanswered: UInt32(number - 1), kind: Self.move(on: state, &random))
          turn[connection] += ClientMessage.operation(operation).framed()
        }
      }
      sequence += UInt64(window)
      Self.play(turn, on: shard)
      turns.append(turn)
    }
  }

  /// Plays the first turns of the script on a new shard.
  ///
  /// - Returns: The number of frames that the shard sent.
  func play(turns count: Int) -> Int {
    let shard = Self.makeShard(durability)
    let joining = shard.deliveries
    for turn in turns.prefix(count) { Self.play(turn, on: shard) }
    return shard.deliveries - joining
  }

  private static func play(_ turn: [[UInt8]], on shard: CoreShard) {
    for (connection, frames) in turn.enumerated() { shard.receive(frames, on: shard.connections[connection]) }
    shard.endTurn()
  }

  private static func makeShard(_ durability: Durability) -> CoreShard {
    CoreShard(tableType: "grid", tables: tables, players: players, durability: durability)
  }

  /// Moves any item to any position.
  private static func move(on state: TableState, _ random: inout RandomSource) -> TableOperation.Kind {
    guard let kind = state.anyMove(&random, not: []) else { preconditionFailure("the table is empty") }
    return kind
  }
}
