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
      tables: tables.memoryBytes, loading: 2 * pending.contentBytes + newTables.bytes, frames: queue.memoryBytes,
      connections: connections.slotCount * ServerLimits.connectionBytes + accounts.count * ServerLimits.accountBytes)
  }

  var memoryBytes: Int { memoryUse.total }

  /// Sets the measures, from the next event on.
  ///
  /// - Parameter excess: The number of bytes by which everything exceeds what it should.
  public mutating func setMemoryMark(_ mark: MemoryMark, excess: Int, at now: Instant) {
    memory = mark
    tables.limitGrowth(at: mark)
    guard mark >= .disconnecting else { return }
    for table in tables.indices where tables[table].room.hasBacklogs {
      begin(at: table)
      tables[table].room.lagBehind()
    }
    disconnectSlowest(excess, at: now)
  }

  /// Disconnects members with unread output, those with the most of it first, until what they use covers the excess.
  private mutating func disconnectSlowest(_ excess: Int, at now: Instant) {
    var slow: [(connection: ConnectionID, bytes: Int)] = []
    for table in tables.all { table.room.appendSlow(to: &slow) }
    slow.sort { $0.bytes > $1.bytes }
    var freed = 0
    for (connection, bytes) in slow.prefix(limits.connections.dismissalsPerTickMax) where freed < excess {
      freed += bytes
      dismiss(
        connection,
        Goodbye(
          .slow, detail: "the daemon is short of memory, and too little was read",
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

  /// Appends the members with unread output, and the memory that each uses: its queue, and its share of a frozen state.
  fileprivate func appendSlow(to slow: inout [(connection: ConnectionID, bytes: Int)]) {
    for member in members where member.backlog.bytes > limits.connections.outboxResumeBytes {
      slow.append((member.connection, member.backlog.bytes))
    }
  }
}
