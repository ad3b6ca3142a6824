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
    machine.setMemoryRoom(account.room, of: account.roomMax)
    statistics.figures.memory = use
    if mark != machine.memory || mark >= .disconnecting {
      let unreceived = mark >= .disconnecting ? unreceivedBytes : [:]
      machine.setMemoryMark(mark, excess: excess, unreceived: unreceived, at: now)
      schedule.hasEvents = true
    }
    if isSweeping { log(.debug, "memory: \(account.present.bytes) bytes charged") }
  }

  /// Reports to the machine how many received bytes of a connection are kept, once they are many, and when they no longer are.
  @inline(__always) func noteUnreceived(_ left: Int, of key: ConnectionKey) {
    let bytes = left + webSockets.fragmentBytes(of: key)
    let isMuch = bytes > ServerLimits.unreceivedBytesMax
    guard isMuch || connections[Int(key.slot)].holdsMuch, connections[Int(key.slot)].generation == key.generation else {
      return
    }
    connections[Int(key.slot)].holdsMuch = isMuch
    machine.unreceived(of: key.id, isMuch ? bytes : 0, at: now)
    schedule.hasEvents = true
  }

  /// Logs which addresses have used up a share, so that they are refused more.
  func logUsedShares() {
    for (peer, share) in machine.takeUsedShares() {
      statistics.metrics.sharesExceeded += 1
      log(.warning, "\(PressureReport.text(SocketAddress.Host(peer))) \(share.sentence) on shard \(endpoint.index)")
    }
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

extension UsedShare {
  /// What an address has done, for the log.
  fileprivate var sentence: String {
    switch self {
    case .memory:
      "has its share of the memory or of the contents of tables (see --memory-max, --content-bytes-per-shard-max, --shared-address)"
    case .tables: "has as many tables in memory as one address may have (see --tables-per-address-max)"
    case .writtenBytes: "has had as much written as one address may have (see --journal-bytes-per-address-max)"
    }
  }
}
