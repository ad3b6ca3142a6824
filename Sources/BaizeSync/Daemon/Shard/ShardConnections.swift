/// The connections of a shard, by slot, with the stage of each.
struct ShardConnections {
  private var slots: [Connection?] = []

  struct Connection {
    let id: ConnectionID
    fileprivate(set) var stage: Stage
    /// The time at which something was received last.
    fileprivate(set) var lastReceived: Instant
  }

  enum Stage {
    /// The hello has not arrived yet.
    case handshake
    case member(Int, table: Int)
    /// The table is being loaded or created.
    case waiting
    /// A goodbye was sent; received bytes are ignored.
    case closing
  }

  mutating func reserve(_ count: Int) { slots.reserveCapacity(count) }

  var slotCount: Int { slots.count }

  /// The connection in a slot; `nil` if it is free.
  subscript(slot: Int) -> Connection? { slots.indices.contains(slot) ? slots[slot] : nil }

  var all: [Connection] { slots.compactMap { $0 } }

  mutating func insert(_ id: ConnectionID, at now: Instant) {
    while slots.count <= Int(id.slot) { slots.append(nil) }
    slots[Int(id.slot)] = Connection(id: id, stage: .handshake, lastReceived: now)
  }

  mutating func remove(_ id: ConnectionID) { slots[Int(id.slot)] = nil }

  /// Returns the phase of a connection; `nil` if it is closed.
  @inline(__always) func stage(of id: ConnectionID) -> Stage? {
    guard Int(id.slot) < slots.count, let connection = slots[Int(id.slot)], connection.id == id else { return nil }
    return connection.stage
  }

  mutating func setStage(_ stage: Stage, of id: ConnectionID) {
    precondition(
      self[Int(id.slot)]?.id == id, "slot \(id.slot) was taken from generation \(id.generation) without a close")
    slots[Int(id.slot)]?.stage = stage
  }

  /// Records that something was received on a connection.
  @inline(__always) mutating func markReceived(_ id: ConnectionID, at now: Instant) {
    guard stage(of: id) != nil else { return }
    slots.withUnsafeMutableBufferPointer { $0[Int(id.slot)]?.lastReceived = now }
  }

  mutating func markAllReceived(at now: Instant) {
    for slot in slots.indices { slots[slot]?.lastReceived = now }
  }

  func isWaiting(_ id: ConnectionID) -> Bool { if case .waiting? = stage(of: id) { true } else { false } }
}
