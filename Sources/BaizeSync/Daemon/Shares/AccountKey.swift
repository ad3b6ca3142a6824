import BaizeTable

/// The name of an account: a peer's, or that of a network that it belongs to.
///
/// The journal keeps who put what on a table by these names: they tell nobody an address who has not the key. Who has the whole
/// journal has the key, too, and can try all addresses of IPv4.
///
/// ```
/// key = SipHash-2-4(access key, 3, address or network: 16 bytes)
/// ```
public struct AccountKey: Hashable, Sendable, BitwiseCopyable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The account of those that have no entry of their own at a table, and of tables of which nobody knows who filled them.
  static let common = AccountKey(rawValue: 0)
}

extension AccessKey {
  private static let accountKind: UInt8 = 3

  /// Returns the account of a peer, or of a network.
  public func account(of peer: PeerID) -> AccountKey {
    guard peer != .unknown else { return .common }
    var bytes = [Self.accountKind]
    for word in [peer.high, peer.low] {
      for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
    }
    return AccountKey(rawValue: SipHash(k0: low, k1: high)(bytes))
  }
}

extension PeerID {
  /// The networks that an address of IPv6 counts to besides its own account, which is its /64: that of a customer (/56), and that of
  /// a site (/48), from which a provider may serve 256 customers. An address of IPv4 has none.
  var networks: (customer: PeerID, site: PeerID)? {
    guard high != 0, low == 0 else { return nil }
    return (PeerID(high: high & ~0xFF, low: 56), PeerID(high: high & ~0xFFFF, low: 48))
  }
}
