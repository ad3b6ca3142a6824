/// A connection as the machines know it: the slot of the transport's table and the generation of its occupant.
public struct ConnectionID: Hashable, Sendable, BitwiseCopyable {
  public let slot: UInt32
  public let generation: UInt32

  public init(slot: UInt32, generation: UInt32) {
    self.slot = slot
    self.generation = generation
  }
}
