/// The account that a connection's peer is charged to: its address, or the network of its address, as its host decides.
public struct PeerID: Hashable, Sendable, BitwiseCopyable {
  public let high: UInt64
  public let low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The peer of a host that does not tell its peers apart.
  public static let unknown = PeerID(high: 0, low: 0)
}
