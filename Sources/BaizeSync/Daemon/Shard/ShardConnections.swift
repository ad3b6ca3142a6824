import BaizeTable

/// The connections of a shard, by slot, with the stage of each.
struct ShardConnections {
  private var slots: [Connection?] = []
  /// The rights of signed tokens: beside the connections, which are copied for each frame.
  private var grants: [ConnectionID: Granted] = [:]

  struct Connection {
    let id: ConnectionID
    /// The peer that is charged for it, and the account of its share of memory.
    let peer: PeerID
    let account: AccountKey
    /// Whether the peer stands for many, so that it has no share of its own.
    let isShared: Bool
    /// Whether it came with a ticket of the operator, and needs no signed token.
    let isOperator: Bool
    /// The memory of its queues that its account was charged for, in bytes: what it has sent and nobody has received, and what it
    /// has not read.
    fileprivate(set) var heldBytes = (input: 0, output: 0)
    /// The time at which something was received last.
    fileprivate(set) var lastReceived: Instant
    /// The bytes that it has had written and that its peer was not charged for yet.
    fileprivate(set) var unchargedBytes = 0
    fileprivate(set) var stage: Stage
  }

  struct Granted {
    let rights: TokenRights
    /// In seconds since 1970.
    let until: Int64
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

  mutating func insert(
    _ id: ConnectionID, from peer: PeerID, _ account: AccountKey, isShared: Bool = false, isOperator: Bool = false,
    at now: Instant
  ) {
    while slots.count <= Int(id.slot) { slots.append(nil) }
    slots[Int(id.slot)] = Connection(
      id: id, peer: peer, account: account, isShared: isShared, isOperator: isOperator, lastReceived: now,
      stage: .handshake)
  }

  /// Notes the memory of a connection's queues, unless it has changed little.
  ///
  /// - Returns: The change that is to be charged.
  mutating func hold(_ bytes: Int, _ side: WritableKeyPath<(input: Int, output: Int), Int>, for id: ConnectionID) -> Int
  {
    guard let connection = self[Int(id.slot)], connection.id == id else { return 0 }
    let change = bytes - connection.heldBytes[keyPath: side]
    guard abs(change) >= ServerLimits.heldStepBytes || bytes == 0 && change != 0 else { return 0 }
    slots[Int(id.slot)]?.heldBytes[keyPath: side] = bytes
    return change
  }

  mutating func remove(_ id: ConnectionID) {
    slots[Int(id.slot)] = nil
    if !grants.isEmpty { grants[id] = nil }
  }

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

  /// Sets what the signed token of a connection gives.
  mutating func setGranted(_ granted: Granted, of id: ConnectionID) {
    guard stage(of: id) != nil else { return }
    grants[id] = granted
  }

  /// Returns what the signed token of a connection gives; `nil` without one.
  func granted(of id: ConnectionID) -> Granted? { grants.isEmpty ? nil : grants[id] }

  /// Records that something was received on a connection.
  @inline(__always) mutating func markReceived(_ id: ConnectionID, at now: Instant) {
    guard stage(of: id) != nil else { return }
    slots.withUnsafeMutableBufferPointer { $0[Int(id.slot)]?.lastReceived = now }
  }

  /// Records that something was received on a connection, and counts the bytes that it has had written.
  ///
  /// - Returns: The number of those that its peer was not charged for.
  @inline(__always) mutating func markReceived(_ id: ConnectionID, writing bytes: Int, at now: Instant) -> Int {
    guard stage(of: id) != nil else { return 0 }
    return slots.withUnsafeMutableBufferPointer { slots in
      slots[Int(id.slot)]?.lastReceived = now
      slots[Int(id.slot)]?.unchargedBytes += bytes
      return slots[Int(id.slot)]?.unchargedBytes ?? 0
    }
  }

  /// Counts bytes that a connection has had written.
  ///
  /// - Returns: The number of those that its peer was not charged for.
  mutating func countWritten(_ bytes: Int, by id: ConnectionID) -> Int {
    guard stage(of: id) != nil else { return 0 }
    slots[Int(id.slot)]?.unchargedBytes += bytes
    return slots[Int(id.slot)]?.unchargedBytes ?? 0
  }

  /// Returns the bytes that a connection's peer has to be charged for, once.
  mutating func takeUncharged(_ slot: Int) -> Int {
    let bytes = self[slot]?.unchargedBytes ?? 0
    if bytes > 0 { slots[slot]?.unchargedBytes = 0 }
    return bytes
  }

  mutating func markAllReceived(at now: Instant) {
    for slot in slots.indices { slots[slot]?.lastReceived = now }
  }

  func isWaiting(_ id: ConnectionID) -> Bool { if case .waiting? = stage(of: id) { true } else { false } }
}
