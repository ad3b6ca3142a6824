package import BaizeSync
package import BaizeTable
import BaizeWire

/// A player of a ``PlayedShard``.
package struct ShardPlayer {
  package let table: String
  fileprivate let connection: ConnectionID
  fileprivate let epoch: Epoch
  /// The number of its last operation.
  package fileprivate(set) var sequence = SequenceNumber.zero
}

/// A shard's machine and the journal behind it, without sockets, and players whose operations the owner chooses. Every turn
/// is committed as it ends, and the frames that it sends are counted and dropped.
package struct PlayedShard<Storage: Journal> {
  private var host: ShardHost<Storage>
  package private(set) var players: [ShardPlayer] = []
  /// The number of frames that were sent: each counts once for each player that receives it.
  package private(set) var framesSent = 0
  private var now = Instant(nanoseconds: 1_000_000_000)

  package init(_ options: ShardHostOptions, _ journal: Storage) { host = ShardHost(options, journal) }

  /// Creates tables of one type at which all players have joined and loaded.
  package init(_ options: ShardHostOptions, _ journal: Storage, tables: Int, players: Int, type: String) throws {
    self.init(options, journal)
    for number in 0..<tables * players { try join("table-\(number / players)", type: type, name: "player") }
  }

  /// Returns the state of a table as the machine has it.
  package func state(of table: String) -> TableState? { host.shard.state(ofTable: table) }

  /// Returns the state of a player's table.
  ///
  /// - Precondition: The player has joined.
  package func state(at player: Int) -> TableState {
    guard let state = state(of: players[player].table) else { preconditionFailure("player \(player) has no table") }
    return state
  }

  /// The number of operations that the present turn has accepted so far.
  package var acceptedCount: Int { host.shard.countsSoFar.accepted }

  /// Joins a player to a table, which is created if it does not exist.
  package mutating func join(_ table: String, type: String, name: String, epoch: UInt64 = 1) throws {
    let connection = host.connect(slot: players.count, at: now)
    players.append(ShardPlayer(table: table, connection: connection, epoch: Epoch(rawValue: epoch)))
    host.receive(.hello(Hello(table: table, tableType: type, name: name)), on: connection, at: now)
    try settle()
  }

  /// Submits a player's next operation, on the present state of its table.
  package mutating func submit(_ kind: TableOperation.Kind, by player: Int) {
    guard let base = state(of: players[player].table)?.revision else { return }
    receive(frame(of: kind, base: base, by: player), from: player)
  }

  /// Returns the frame of a player's next operation.
  ///
  /// - Parameter unanswered: The number of operations that the player has in flight.
  package mutating func frame(
    of kind: TableOperation.Kind, base: Revision, unanswered: UInt32 = 0, by player: Int
  ) -> [UInt8] {
    players[player].sequence = players[player].sequence.next
    let operation = TableOperation(
      sequence: players[player].sequence, base: base, epoch: players[player].epoch, unanswered: unanswered, kind: kind)
    return ClientMessage.operation(operation).framed()
  }

  /// Receives whole frames of a player.
  package func receive(_ frames: [UInt8], from player: Int) {
    frames.withUnsafeBytes { host.receive(frames: $0, on: players[player].connection, at: now) }
  }

  package mutating func endTurn() throws {
    now = now.advanced(byMilliseconds: 10)
    try settle()
  }

  /// Runs turns until there is nothing to do.
  private mutating func settle() throws {
    repeat {
      try host.commitTurn(at: now)
      while let batch = host.nextReleased() {
        framesSent += batch.frameCount
        for id in batch.closes { host.closed(id, at: now) }
        host.recycle(batch)
      }
    } while try host.answerRequests(at: now) || host.shard.wantsTurn
  }
}
