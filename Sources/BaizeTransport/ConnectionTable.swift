/// The flat array of a loop's connections.
///
/// It returns pointers, so that a connection is changed in place. A pointer is valid until the next `insert`: after a
/// call to the handler, which may insert, it must be looked up again.
final class ConnectionTable {
  private var slots: UnsafeMutablePointer<ConnectionSlot>
  private var capacity: Int
  /// The number of slots that were in use at some time; those behind are not initialised.
  private var used = 0
  private var firstFree = noSlot
  private(set) var count = 0

  private static let noSlot = UInt32.max

  /// - Parameter capacity: The number of connections that there is room for at first; at least 1. Unused room is not
  ///   resident.
  init(capacity: Int) {
    self.capacity = capacity
    slots = .allocate(capacity: capacity)
  }

  deinit {
    slots.deinitialize(count: used)
    slots.deallocate()
  }

  /// Adds a connection. O(1), amortised.
  func insert(_ descriptor: Int32, _ phase: ConnectionSlot.Phase) -> ConnectionKey {
    let slot = takeFreeSlot()
    slots[Int(slot)].descriptor = descriptor
    slots[Int(slot)].phase = phase
    count += 1
    return ConnectionKey(slot: slot, generation: slots[Int(slot)].generation)
  }

  /// Returns the connection, or `nil` if it has ended. O(1).
  @inline(__always)
  func find(_ key: ConnectionKey) -> UnsafeMutablePointer<ConnectionSlot>? {
    guard Int(key.slot) < used else { return nil }
    let slot = slots + Int(key.slot)
    return slot.pointee.generation == key.generation ? slot : nil
  }

  /// Ends a connection. Its key is invalid afterwards; the slot is not reused before ``recycle(_:)``.
  func retire(_ key: ConnectionKey, _ pool: BufferPool) {
    guard let slot = find(key) else { return }
    slot.pointee.output.removeAll(pool)
    slot.pointee.leftover.removeAll(pool)
    let next = key.generation == .max ? 1 : key.generation + 1
    slot.pointee = ConnectionSlot()
    slot.pointee.generation = next
    count -= 1
  }

  /// Makes the slot of a retired connection free for reuse, once the handler, which may keep a table of its own by
  /// slots, was informed of the end.
  func recycle(_ slot: UInt32) {
    slots[Int(slot)].nextFree = firstFree
    firstFree = slot
  }

  /// The keys of all connections, in the order of their slots.
  var keys: [ConnectionKey] {
    (0..<used).compactMap { slot in
      slots[slot].phase == .free
        ? nil : ConnectionKey(slot: UInt32(slot), generation: slots[slot].generation)
    }
  }

  private func takeFreeSlot() -> UInt32 {
    if firstFree != Self.noSlot {
      let slot = firstFree
      firstFree = slots[Int(slot)].nextFree
      return slot
    }
    if used == capacity { grow() }
    (slots + used).initialize(to: ConnectionSlot())
    used += 1
    return UInt32(used - 1)
  }

  private func grow() {
    let larger = UnsafeMutablePointer<ConnectionSlot>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: slots, count: used)
    slots.deallocate()
    slots = larger
    capacity *= 2
  }
}
