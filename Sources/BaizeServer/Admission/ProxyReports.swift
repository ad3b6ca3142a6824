import BaizeSync
import BaizeTable
import BaizeTransport

/// The lines of the log about connections that are not served for want of the PROXY protocol's header, or with one from an address
/// that is no proxy's: what an operator has to correct, at most once a minute for each address.
struct ProxyReports {
  private let log: Log
  private var limit = ReportLimit<SocketAddress.Host>()

  init(_ log: Log) { self.log = log }

  /// Reports a proxy's connection whose header cannot be read.
  mutating func refused(_ peer: SocketAddress, _ error: ProxyHeaderError, at now: Instant) {
    report(peer, "\(error)", at: now)
  }

  /// Reports a connection of another address if it begins with a header. Nothing reads it as one.
  mutating func check(_ peer: SocketAddress, _ bytes: UnsafeRawBufferPointer, at now: Instant) {
    if ProxyHeader.isFirst(of: bytes) { report(peer, Self.unexpected, at: now) }
  }

  /// Why a connection with a header from another address is not served.
  static let unexpected =
    "it sends the header of the PROXY protocol, and its address is none of those that --proxy-protocol names"

  private mutating func report(_ peer: SocketAddress, _ reason: String, at now: Instant) {
    log(limit.admits(peer.host.counted, at: now) ? .warning : .debug, "\(peer) is not served: \(reason)")
  }
}
