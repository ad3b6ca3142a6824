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
///
/// It does no more than that, so that a measurement counts the machine's work: a ``ShardHost`` does what else a process does.
package final class PlayedShard {
  @exclusivity(unchecked) private var machine: ShardMachine
  private let journal: any JournalStore
  private let options: ShardHostOptions
  @exclusivity(unchecked) package private(set) var players: [ShardPlayer] = []
  /// The number of frames that were sent: each counts once for each player that receives it.
  package private(set) var framesSent = 0
  @exclusivity(unchecked) private var now = Instant(nanoseconds: 1_000_000_000)

  package init(_ options: ShardHostOptions, _ journal: any JournalStore) {
    machine = options.makeShard()
    (self.journal, self.options) = (journal, options)
  }

  /// Creates tables of one type at which all players have joined and loaded.
  package convenience init(
    _ options: ShardHostOptions, _ journal: any JournalStore, tables: Int, players: Int, type: String
  ) throws {
    self.init(options, journal)
    for number in 0..<tables * players { try join("table-\(number / players)", type: type, name: "player") }
  }

  /// Returns the state of a table as the machine has it.
  package func state(of table: String) -> TableState? { machine.state(ofTable: table) }

  /// Returns the state of a player's table.
  ///
  /// - Precondition: The player has joined.
  package func state(at player: Int) -> TableState {
    guard let state = state(of: players[player].table) else { preconditionFailure("player \(player) has no table") }
    return state
  }

  /// The number of operations that the present turn has accepted so far.
  package var acceptedCount: Int { machine.countsSoFar.accepted }

  /// Joins a player to a table, which is created if it does not exist.
  package func join(_ table: String, type: String, name: String, epoch: UInt64 = 1) throws {
    let connection = ConnectionID(slot: UInt32(players.count), generation: 1)
    machine.connected(connection, at: now)
    players.append(ShardPlayer(table: table, connection: connection, epoch: Epoch(rawValue: epoch)))
    let text = Array("\(players.count) \(name)".utf8.prefix(32))
    let credential = text + Array(repeating: 0, count: 32 - text.count)
    let hello = Hello(table: table, tableType: type, name: name, credential: credential)
    receive(ClientMessage.hello(hello).framed(), from: players.count - 1)
    try settle()
  }

  /// Submits a player's next operation, on the present state of its table.
  package func submit(_ kind: TableOperation.Kind, by player: Int) {
    guard let base = state(of: players[player].table)?.revision else { return }
    receive(frame(of: kind, base: base, by: player), from: player)
  }

  /// Returns the frame of a player's next operation.
  ///
  /// - Parameter unanswered: The number of operations that the player has in flight.
  package func frame(
    of kind: TableOperation.Kind, base: Revision, unanswered: UInt32 = 0, by player: Int
  ) -> [UInt8] {
    players[player].sequence = players[player].sequence.next
    let operation = TableOperation(
      sequence: players[player].sequence, base: base, epoch: players[player].epoch, unanswered: unanswered, kind: kind)
    return ClientMessage.operation(operation).framed()
  }

  /// Receives whole frames of a player.
  package func receive(_ frames: [UInt8], from player: Int) {
    let connection = players[player].connection
    frames.withUnsafeBytes { _ = machine.receive($0, FrameReader(), on: connection, within: false, at: now) }
  }

  package func endTurn() throws {
    now = now.advanced(byMilliseconds: 10)
    try settle()
  }

  /// Runs turns until there is nothing to do.
  private func settle() throws {
    var isBusy = false
    repeat {
      machine.admitWaiting(at: now)
      let end = machine.endTurn(at: now)
      if let number = end.number {
        try journal.commit(end.writes)
        machine.committed(number)
      }
      while let batch = machine.nextReleased() {
        framesSent += batch.frameCount
        for id in batch.closes { machine.closed(id, at: now) }
        machine.recycle(batch)
      }
      for table in end.loads { try load(table) }
      for setUp in end.setUps { machine.made(setUp.table, setUp.make(), at: now) }
      isBusy = !end.loads.isEmpty || !end.setUps.isEmpty
    } while isBusy || machine.wantsTurn
  }

  private func load(_ table: String) throws {
    var restored = try journal.restored(table, options)
    restored?.prepareSessions(answersMax: options.limits.sessions.pendingOperationsMax)
    machine.loaded(table, .success(restored), at: now)
  }
}
