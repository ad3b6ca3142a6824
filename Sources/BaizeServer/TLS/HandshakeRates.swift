import BaizeTable
import BaizeTransport

/// The number of handshakes that may begin in each short interval, in all and with each address.
struct HandshakeRates {
  private let allMax: Int
  private let perAddressMax: Int
  private let exemptsLoopback: Bool
  private var all = 0
  private var byAddress: [SocketAddress.Host: Int] = [:]
  private(set) var intervalEnd: UInt64 = 0

  init(_ configuration: ServerConfiguration) {
    allMax = Self.perInterval(configuration.tlsHandshakesPerSecondMax)
    perAddressMax = Self.perInterval(
      configuration.tlsHandshakesPerAddressMax ?? ServerLimits.tlsHandshakesPerAddressMax)
    exemptsLoopback = configuration.tlsHandshakesPerAddressMax == nil
  }

  private static func perInterval(_ perSecond: Int) -> Int {
    max(1, perSecond / Int(1_000_000_000 / ServerLimits.tlsIntervalNanoseconds))
  }

  /// Counts a handshake, if it may begin now. The number of addresses that are counted is at most that of handshakes.
  mutating func begin(_ peer: SocketAddress, at now: UInt64) -> Bool {
    if now >= intervalEnd {
      (all, intervalEnd) = (0, now + ServerLimits.tlsIntervalNanoseconds)
      byAddress.removeAll(keepingCapacity: true)
    }
    let host = peer.host.counted
    guard all < allMax else { return false }
    guard exemptsLoopback && peer.isLoopback || byAddress[host, default: 0] < perAddressMax else { return false }
    all += 1
    byAddress[host, default: 0] += 1
    return true
  }
}
