import BaizeSync
import BaizeTable
import BaizeTransport

/// The shard's share of the daemon's account of memory.
extension Shard {
  /// Charges the shard's present memory if it has changed much, or at the sweep, and takes the measures that follow.
  func chargeMemory(isSweeping: Bool = false) {
    var use = machine.memoryUse
    use.outboxes = loop.queueMemoryBytes + webSockets.memoryBytes
    use.unwritten = journal.unwrittenBytes
    let bytes = use.total
    guard isSweeping || abs(bytes - chargedBytes) > account.stepBytes else { return }
    chargedBytes = bytes
    let (mark, excess) = account.charge(shard: endpoint.index, bytes)
    machine.setMemoryRoom(account.room)
    statistics.figures.memory = use
    if mark != machine.memory || mark >= .disconnecting {
      let unreceived = mark >= .disconnecting ? unreceivedBytes : [:]
      machine.setMemoryMark(mark, excess: excess, unreceived: unreceived, at: now)
      schedule.hasEvents = true
    }
    if isSweeping { log(.debug, "memory: \(account.present.bytes) bytes charged") }
  }

  /// The size of what connections have sent and the machine has not received, where that is much.
  ///
  /// - Complexity: O(number of connections).
  private var unreceivedBytes: [ConnectionID: Int] {
    var unreceived: [ConnectionID: Int] = [:]
    for (slot, connection) in connections.enumerated() {
      let key = ConnectionKey(slot: UInt32(slot), generation: connection.generation)
      let bytes = loop.unconsumedBytes(of: key) + webSockets.fragmentBytes(of: key)
      if bytes > ServerLimits.unreceivedBytesMax { unreceived[key.id] = bytes }
    }
    return unreceived
  }
}
