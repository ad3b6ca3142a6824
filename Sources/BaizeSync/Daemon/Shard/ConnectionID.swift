/// A connection's id in the machines, as their host chose it: a small slot, by which they keep flat arrays, and the slot's
/// generation. The daemon's host takes both from the transport's key.
public struct ConnectionID: Hashable, Sendable, BitwiseCopyable {
  /// The slot in the transport's table.
  public let slot: UInt32
  /// The number of connections that had the slot before.
  public let generation: UInt32

  public init(slot: UInt32, generation: UInt32) {
    self.slot = slot
    self.generation = generation
  }
}
