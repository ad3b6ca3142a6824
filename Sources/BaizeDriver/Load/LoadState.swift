package import BaizeBot
package import BaizeSync
package import BaizeTable
package import BaizeTransport
package import BaizeWire

/// All connections and tables of a run.
///
/// To keep the harness cheap, one connection per table keeps a live replica, from which all the table's
/// players choose their operations; the others read no more of a diff than its author and its revision. After the run each
/// of them takes a snapshot, and every copy's hash is compared with the daemon's.
package struct LoadState: ~Copyable {
  package let options: LoadOptions
  package let set: ConnectionSet
  package var connections: [LoadConnection] = []
  package var counters = LoadCounters()
  package var faults = LoadFaults()
  package var tables: [LoadTable] = []
  /// The connections of the players.
  package private(set) var players: [Int] = []
  package var random: RandomSource
  package var strategy = RandomStrategy()
  /// The type of all tables.
  package var type: TableType?
  package var isSubmitting = false
  /// The number of operations that may still be submitted; `nil` for no limit.
  package var operationsLeft: Int?
  /// Set while operations come at a rate.
  package var pace: Pace?
  package var liveCount = 0
  package var now: UInt64 = 0

  package init(_ options: LoadOptions, _ set: ConnectionSet) {
    self.options = options
    self.set = set
    random = RandomSource(seed: options.seed)
  }

  // MARK: Steps of a run

  /// Connects everyone; ``liveCount`` is the number that have joined.
  package mutating func begin() throws {
    for table in 0..<options.tables {
      tables.append(LoadTable(name: options.tableName(table)))
      for seat in 0..<options.players + options.spectators {
        let key = try set.connect(to: options.address, as: connections.count)
        if seat < options.players { players.append(connections.count) }
        if tables[table].replicaOwner < 0 { tables[table].replicaOwner = connections.count }
        connections.append(LoadConnection(table: table, isPlayer: seat < options.players, key: key))
      }
    }
  }

  package var isEveryoneLive: Bool { liveCount == connections.count }
  package var inFlightCount: Int { connections.reduce(0) { $0 + $1.inFlight } }

  /// Lets every player submit.
  package mutating func startSubmitting() {
    isSubmitting = true
    now = MonotonicClock.now()
    pace = options.rate.map { Pace(perSecond: $0, from: now) }
    for index in connections.indices { fill(index) }
  }

  package mutating func stopSubmitting() {
    isSubmitting = false
    pace = nil
  }

  /// Takes the counts since the last call.
  package mutating func takeCounters() -> LoadCounters {
    defer { counters = LoadCounters() }
    return counters
  }

  /// Asks, after the run, for the snapshots and hashes that are compared.
  package mutating func beginComparison() {
    faults.lost += UInt64(inFlightCount)
    for index in connections.indices where connections[index].phase == .live {
      if tables[connections[index].table].replicaOwner == index {
        connections[index].ownHash = tables[connections[index].table].replica?.confirmedHash()
      } else {
        send(.snapshotRequest(why: "comparison after the run"), index)
      }
      send(.ping(Ping(nonce: 1, wantsHash: true)), index)
    }
  }

  package var isCompared: Bool {
    connections.allSatisfy { $0.phase != .live || ($0.daemonHash != nil && $0.ownHash != nil) }
  }

  /// Counts the differences.
  package mutating func finishComparison() {
    for connection in connections {
      if connection.phase == .live, connection.daemonHash == nil || connection.daemonHash != connection.ownHash {
        faults.diverged += 1
      }
    }
  }

  // MARK: Connections

  package mutating func opened(_ index: Int) {
    connections[index].phase = .greeting
    let table = tables[connections[index].table]
    send(
      .hello(
        Hello(
          table: table.name, tableType: options.tableType, name: "load",
          role: connections[index].isPlayer ? .player : .spectator)), index)
  }

  package mutating func ended(_ index: Int, _ reason: String) {
    faults.goodbyes[reason, default: 0] += 1
    connections[index].phase = .closed
  }
}
