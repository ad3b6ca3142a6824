import BaizeSystem

/// A range of hosts' addresses, such as `10.1.0.0/16`.
public struct AddressRange: Hashable, Sendable {
  private let host: SocketAddress.Host
  /// The number of leading bits that are equal in all of its addresses.
  private let bits: Int

  /// Parses `ADDRESS` or `ADDRESS/BITS`, where the address is one of IPv4 or IPv6, not a name and without brackets.
  ///
  /// - Returns: `nil` if the text is none.
  public init?(parsing text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let address = parts.first, let host = SocketAddress.Host(numeric: address, isWide: address.contains(":"))
    else { return nil }
    // An IPv4 address in the form of IPv6 has 96 more bits in front.
    let isMapped = address.contains(":") && host.bitCount == 32
    let standard = isMapped ? 128 : host.bitCount
    guard parts.count == 1 || parts[1].utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    guard let count = parts.count == 1 ? standard : Int(parts[1]), count <= standard else { return nil }
    let bits = isMapped ? count - 96 : count
    guard bits >= 0 else { return nil }
    (self.host, self.bits) = (host, bits)
  }

  /// Returns whether an address is in the range.
  public func contains(_ other: SocketAddress.Host) -> Bool {
    switch (host, other) {
    case (.v4(let one), .v4(let other)): Self.agree(UInt64(one) << 32, UInt64(other) << 32, bits: bits)
    case (.v6(let high, let low, _), .v6(let otherHigh, let otherLow, _)):
      Self.agree(high, otherHigh, bits: min(64, bits)) && Self.agree(low, otherLow, bits: max(0, bits - 64))
    case (.v4, .v6), (.v6, .v4): false
    }
  }

  private static func agree(_ one: UInt64, _ other: UInt64, bits: Int) -> Bool {
    bits == 0 || (one ^ other) >> UInt64(64 - bits) == 0
  }
}

extension AddressRange: CustomStringConvertible {
  /// For example `127.0.0.1` or `10.1.0.0/16`.
  public var description: String {
    let text = SocketAddress(host: host, port: 0).hostText
    return bits == host.bitCount ? text : "\(text)/\(bits)"
  }
}

extension SocketAddress.Host {
  fileprivate var bitCount: Int {
    switch self {
    case .v4: 32
    case .v6: 128
    }
  }

  /// Parses an address of IPv4, or of IPv6 without brackets.
  init?(numeric text: String, isWide: Bool) {
    if isWide {
      var address = in6_addr()
      guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
      self = withUnsafeBytes(of: address) { bytes in
        SocketAddress.Host(
          high: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
          low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
      }
    } else {
      var address = in_addr()
      guard inet_pton(AF_INET, text, &address) == 1 else { return nil }
      self = .v4(UInt32(bigEndian: address.s_addr))
    }
  }

  /// Creates an address of IPv6, or the one of IPv4 that it stands for.
  init(high: UInt64, low: UInt64, scope: UInt32 = 0) {
    let isMappedV4 = high == 0 && low >> 32 == 0xFFFF
    self = isMappedV4 ? .v4(UInt32(truncatingIfNeeded: low)) : .v6(high: high, low: low, scope: scope)
  }
}
