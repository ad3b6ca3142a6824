/// A connection, as its host names it: a small slot, by which the machines keep flat arrays, and the generation of its
/// occupant. The daemon's host takes both from the transport's key; another host chooses them.
public struct ConnectionID: Hashable, Sendable, BitwiseCopyable {
  public let slot: UInt32
  public let generation: UInt32

  public init(slot: UInt32, generation: UInt32) {
    self.slot = slot
    self.generation = generation
  }
}
