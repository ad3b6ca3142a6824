import BaizeHTTP
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// The lines of the log about connections that are not served for how they begin: what an operator, or who writes an app, has to
/// correct, at most once a minute for each address.
struct AdmissionReports {
  private let log: Log
  private var limit = ReportLimit<SocketAddress.Host>()

  init(_ log: Log) { self.log = log }

  /// Reports a proxy's connection whose header of the PROXY protocol cannot be read.
  mutating func refused(_ peer: SocketAddress, _ error: ProxyHeaderError, at now: Instant) {
    report(peer, "\(error)", at: now)
  }

  /// Reports a connection of another address if it begins with such a header. Nothing reads it as one.
  mutating func check(_ peer: SocketAddress, _ bytes: UnsafeRawBufferPointer, at now: Instant) {
    if ProxyHeader.isFirst(of: bytes) { report(peer, Self.unexpected, at: now) }
  }

  /// Why a connection with a header from another address is not served.
  static let unexpected =
    "it sends the header of the PROXY protocol, and its address is none of those that --proxy-protocol names"

  /// Reports a connection to the port for clients over TCP that speaks another protocol.
  mutating func refused(_ peer: SocketAddress, _ other: ForeignProtocol, at now: Instant) {
    switch other {
    case .http:
      report(peer, "it speaks HTTP, and this port is for clients over TCP (pages have that of --http)", at: now)
    case .tls: report(peer, "it expects TLS, and this port has none (see --tls-certificate)", at: now)
    }
  }

  /// Reports a request that the rules of names and origins have refused.
  mutating func refused(_ peer: SocketAddress, _ request: HTTPRequest, _ status: HTTPStatus, at now: Instant) {
    if status == .misdirectedRequest {
      report(peer, "\((request.host ?? "").quotedForLog) is no name of this server (see --allow-host)", at: now)
    } else if status == .forbidden, let origin = request.value("origin") {
      report(peer, "pages of \(origin.quotedForLog) are not accepted (see --allow-origin)", at: now)
    }
  }

  private mutating func report(_ peer: SocketAddress, _ reason: String, at now: Instant) {
    log(limit.admits(peer.host.counted, at: now) ? .warning : .debug, "\(peer) is not served: \(reason)")
  }
}
