package import BaizeSync
package import BaizeTable
import BaizeWire

/// A shard's machine and the journal behind it, without sockets, and players whose operations the owner chooses. Every turn
/// is committed as it ends.
package struct PlayedShard<Storage: Journal> {
  private var host: ShardHost<Storage>
  package private(set) var players: [Player] = []
  private var now = Instant(nanoseconds: 1_000_000_000)

  package struct Player {
    package let table: String
    fileprivate let connection: ConnectionID
    fileprivate let epoch: Epoch
    /// The number of its last operation.
    package fileprivate(set) var sequence = SequenceNumber.zero
  }

  package init(_ options: ShardHostOptions, _ journal: Storage) { host = ShardHost(options, journal) }

  /// Returns the state of a table as the machine has it.
  package func state(of table: String) -> TableState? { host.shard.state(ofTable: table) }

  /// Joins a player to a table, which is created if it does not exist.
  package mutating func join(_ table: String, type: String, name: String, epoch: UInt64 = 1) throws {
    let connection = host.connect(slot: players.count, at: now)
    players.append(Player(table: table, connection: connection, epoch: Epoch(rawValue: epoch)))
    host.receive(.hello(Hello(table: table, tableType: type, name: name)), on: connection, at: now)
    try host.settle(at: now)
  }

  /// Submits a player's next operation, on the present state of its table.
  package mutating func submit(_ kind: TableOperation.Kind, by player: Int) {
    guard let base = state(of: players[player].table)?.revision else { return }
    players[player].sequence = players[player].sequence.next
    let operation = TableOperation(
      sequence: players[player].sequence, base: base, epoch: players[player].epoch, kind: kind)
    host.receive(.operation(operation), on: players[player].connection, at: now)
  }

  package mutating func endTurn() throws {
    now = now.advanced(byMilliseconds: 10)
    try host.settle(at: now)
  }
}
