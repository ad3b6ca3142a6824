/// A connection's id in the machines: its slot in the transport's table and the slot's generation.
public struct ConnectionID: Hashable, Sendable, BitwiseCopyable {
  /// The slot in the transport's table.
  public let slot: UInt32
  /// The number of connections that had the slot before.
  public let generation: UInt32

  /// Creates an id.
  public init(slot: UInt32, generation: UInt32) {
    self.slot = slot
    self.generation = generation
  }
}
