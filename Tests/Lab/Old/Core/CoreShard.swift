import BaizeSync
import BaizeTable
import BaizeWire

/// A shard's machine without sockets, clock or disk. The caller passes frames and ends turns; the frames that it sends are
/// counted and dropped. A strict turn's writes are committed at once.
final class CoreShard {
  @exclusivity(unchecked) private(set) var machine: ShardMachine
  private(set) var deliveries = 0
  private(set) var writtenBytes = 0
  private let now = Instant(nanoseconds: 1_000_000_000)

  /// The connections of the players, table by table.
  let connections: [ConnectionID]

  /// Creates tables of `tableType` at which all players have joined and loaded.
  init(
    tableType: String, tables: Int, players: Int, durability: Durability, types: CachedTableTypes = CachedTableTypes()
  ) {
    var limits = SyncLimits()
    limits.sessions.operationsPerSecondMax = 0
    machine = ShardMachine(
      types: types, random: RandomSource(seed: 1), limits: limits, durability: durability)
    connections = (0..<tables * players).map { ConnectionID(slot: UInt32($0), generation: 1) }
    for (number, id) in connections.enumerated() {
      machine.connected(id, at: now)
      let hello = Hello(table: "table-\(number / players)", tableType: tableType, name: "core")
      receive(ClientMessage.hello(hello).framed(), on: id)
      // A table that the journal does not have is created after its answer.
      repeat { endTurn() } while machine.wantsTurn
    }
    endTurn()
  }

  func state(ofTable number: Int) -> TableState {
    guard let state = machine.state(ofTable: "table-\(number)") else { preconditionFailure("no table \(number)") }
    return state
  }

  /// Receives whole frames, whatever the turn's budget.
  func receive(_ frames: [UInt8], on id: ConnectionID) {
    frames.withUnsafeBytes { _ = machine.receive($0, FrameReader(), on: id, within: false, at: now) }
  }

  func endTurn() {
    let end = machine.endTurn()
    for write in end.writes {
      if case .record(let record) = write { writtenBytes += record.bytes.count }
    }
    if let number = end.number { machine.committed(number) }
    for table in end.loads { machine.loaded(table, .success(nil), at: now) }
    while let batch = machine.nextReleased() {
      deliveries += batch.frameCount
      machine.recycle(batch)
    }
  }
}
