/// Names a connection of one loop: its place in the loop's flat array, and how often that place has been given away.
///
/// A key outlives its connection harmlessly: every call of the loop takes a key that has gone for what it is.
public struct ConnectionKey: Hashable, Sendable, BitwiseCopyable {
  /// Small numbers that are used again: a handler may keep its own state in a flat array by them.
  public let slot: UInt32
  /// From 1 on; 0 is never given away.
  public let generation: UInt32

  public init(slot: UInt32, generation: UInt32) {
    self.slot = slot
    self.generation = generation
  }
}

extension ConnectionKey {
  /// The form in which a selector keeps it.
  var packed: UInt64 { UInt64(generation) << 32 | UInt64(slot) }

  init(packed: UInt64) {
    self.init(slot: UInt32(truncatingIfNeeded: packed), generation: UInt32(truncatingIfNeeded: packed >> 32))
  }
}

extension ConnectionKey: CustomStringConvertible {
  /// For example `#12.3`: slot 12, third use.
  public var description: String { "#\(slot).\(generation)" }
}

/// Names a listener of one loop. Never given away twice.
public struct ListenerKey: Hashable, Sendable, BitwiseCopyable {
  let index: UInt32
}

extension ListenerKey {
  /// Listeners share the selector's keys with connections: their generation is 0, which no connection has, and slot 0
  /// of it is the waker's.
  var packed: UInt64 { UInt64(index) + 1 }
  static let wakerPacked: UInt64 = 0

  init(packed: UInt64) {
    self.init(index: UInt32(truncatingIfNeeded: packed) - 1)
  }
}
