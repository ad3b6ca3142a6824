/// The identity of a connection within one loop: its slot in the loop's flat array, and the number of times that the
/// slot was assigned.
///
/// A key may outlive its connection: every call of the loop ignores the key of one that has ended.
public struct ConnectionKey: Hashable, Sendable, BitwiseCopyable {
  /// The index in the array. Small and reused, so that a handler can keep its own state in a flat array.
  public let slot: UInt32
  /// From 1; 0 is never assigned.
  public let generation: UInt32

  public init(slot: UInt32, generation: UInt32) {
    self.slot = slot
    self.generation = generation
  }
}

extension ConnectionKey {
  /// The form in which a selector stores it.
  var packed: UInt64 { UInt64(generation) << 32 | UInt64(slot) }

  init(packed: UInt64) {
    self.init(slot: UInt32(truncatingIfNeeded: packed), generation: UInt32(truncatingIfNeeded: packed >> 32))
  }
}

extension ConnectionKey: CustomStringConvertible {
  /// For example `#12.3`: slot 12, third use.
  public var description: String { "#\(slot).\(generation)" }
}

/// The identity of a listener within one loop; never reused.
public struct ListenerKey: Hashable, Sendable, BitwiseCopyable {
  let index: UInt32
}

extension ListenerKey {
  /// The form in which a selector stores it. Listeners have generation 0, which no connection has; its slot 0 is the
  /// waker's.
  var packed: UInt64 { UInt64(index) + 1 }
  static let wakerPacked: UInt64 = 0

  init(packed: UInt64) {
    self.init(index: UInt32(truncatingIfNeeded: packed) - 1)
  }
}
