import BaizeTable
import BaizeWire

/// The memory that a shard's clients make it use, and the measures when it is short (I8).
extension ShardMachine {
  /// The approximate memory of tables, sessions, connections and frames, in bytes. The host adds the queues of its
  /// connections.
  ///
  /// - Complexity: O(1). Tables are counted when they change much, and at the sweep.
  public var memoryUse: MemoryUse {
    MemoryUse(
      tables: tables.memoryBytes + tables.types.memoryBytes, loading: 2 * pending.contentBytes + newTables.bytes,
      frames: queue.memoryBytes,
      connections: connections.slotCount * ServerLimits.connectionBytes
        + (accounts.count + shares.count) * ServerLimits.accountBytes)
  }

  var memoryBytes: Int { memoryUse.total }

  /// Sets how many more bytes may be charged before tables are refused, as far as the host knows.
  ///
  /// - Parameter all: How many bytes may be charged in all before; `nil` if only this machine is charged.
  public mutating func setMemoryRoom(_ bytes: Int, of all: Int? = nil) {
    memoryRoomEnd = bytes == .max ? .max : memoryBytes + bytes
    memoryRoomMax = all ?? memoryRoomEnd
    noteTightness()
  }

  /// The number of bytes that may still be charged before tables are refused.
  var memoryRoom: Int { memoryRoomEnd == .max ? .max : memoryRoomEnd - memoryBytes }

  /// Sets the measures, from the next event on.
  ///
  /// - Parameters:
  ///   - excess: The number of bytes by which everything exceeds what it should.
  ///   - unreceived: The number of bytes that the host keeps of frames of connections, which are not complete or have to wait.
  public mutating func setMemoryMark(
    _ mark: MemoryMark, excess: Int, unreceived: [ConnectionID: Int] = [:], at now: Instant
  ) {
    memory = mark
    noteTightness()
    guard mark >= .disconnecting else { return }
    for table in tables.indices where tables[table].room.hasBacklogs {
      begin(at: table)
      tables[table].room.lagBehind()
    }
    disconnectLargest(excess, unreceived, at: now)
  }

  /// Disconnects connections with much that the host keeps of their frames, members with unread output or with a state that is
  /// pinned for them, and spectators with much else that is kept for them, those with the most first, until what they use covers
  /// the excess.
  private mutating func disconnectLargest(_ excess: Int, _ unreceived: [ConnectionID: Int], at now: Instant) {
    // What is kept for connections that are being closed is free soon.
    var freed = 0
    var used: [ConnectionID: Int] = [:]
    for (connection, bytes) in unreceived {
      if case .closing? = connections.stage(of: connection) { freed += bytes } else { used[connection] = bytes }
    }
    for table in tables.all { table.room.addSlow(besides: table.table.state, table.sessions, to: &used) }
    let largest = used.sorted { ($0.value, $0.key.slot) > ($1.value, $1.key.slot) }
    for (connection, bytes) in largest.prefix(limits.connections.dismissalsPerTickMax) where freed < excess {
      freed += bytes
      dismiss(
        connection,
        Goodbye(
          .slow, detail: "the daemon is short of memory, and this connection uses much of it",
          retryAfterMilliseconds: limits.connections.returnMilliseconds), at: now)
    }
  }
}

extension Room {
  /// Whether any member has unread output.
  fileprivate var hasBacklogs: Bool { members.contains { $0.backlog.bytes > limits.connections.outboxResumeBytes } }

  /// Sends members with unread output nothing more until they have read it.
  fileprivate mutating func lagBehind() {
    for member in members.indices
    where members[member].isLive && members[member].backlog.bytes > limits.connections.outboxResumeBytes {
      setPhase(.lagging, of: member)
    }
  }

  /// Adds what members use, where it is much: unread output, and a share of the state that is pinned for the snapshot. A
  /// spectator's session counts, too, since it is forgotten when it is absent.
  fileprivate func addSlow(
    besides state: TableState, _ sessions: Sessions, to used: inout [ConnectionID: Int]
  ) {
    var readers: [ObjectIdentifier: Int] = [:]
    for member in members { if let frozen = member.frozen { readers[ObjectIdentifier(frozen), default: 0] += 1 } }
    for member in members {
      let pinned = member.frozen.map {
        $0.pinnedBytes(until: state.changedBytes) / readers[ObjectIdentifier($0), default: 1]
      }
      let bytes = member.backlog.bytes + (pinned ?? 0)
      let session = member.seat == .spectator ? sessions[member.session].memoryBytes : 0
      if session > ServerLimits.spectatorBytesMax {
        used[member.connection, default: 0] += bytes + session
      } else if bytes > limits.connections.outboxResumeBytes {
        used[member.connection, default: 0] += bytes
      }
    }
  }
}
