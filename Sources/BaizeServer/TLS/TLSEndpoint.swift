import BaizeTable
import BaizeTransport
import Synchronization

/// What is counted of handshakes.
struct TLSFigures: Sendable {
  var established = 0
  var failed = 0
  /// Connections that have sent nothing, or that wait because of the limits.
  var waiting = 0
  var handshakes = 0
  var secondsValid = 0
}

/// The part of the thread of handshakes that other threads share, with the certificate in force.
final class TLSEndpoint: Sendable {
  /// The receiver of the connections of an address, once TLS is established.
  enum Service: Sendable {
    case shards([ShardEndpoint])
    case http(HTTPEndpoint)
    case admin(HTTPEndpoint)
  }

  enum Message: Sendable {
    case listen(SocketAddress, Service, Promise<Result<SocketAddress, any Error>>)
    /// Stop listening, close everything and end the thread.
    case shutDown
  }

  let waker: Waker
  let mailbox: Mailbox<Message>
  /// Resolved when the thread is about to end.
  let ended = Promise<Void>()
  private let configuration: TLSConfiguration
  private let log: Log
  private let present: Mutex<TLSContext>
  private let counted = Mutex(TLSFigures())

  /// Reads the certificate.
  ///
  /// - Throws: `TLSFailure` in words if it cannot be used.
  init(_ tls: TLSConfiguration, _ configuration: ServerConfiguration) throws {
    waker = try Waker()
    mailbox = Mailbox(waker: waker)
    (self.configuration, log) = (tls, configuration.log)
    present = Mutex(try .server(tls.identity, clientAuthorities: tls.adminClientAuthorities))
  }

  /// Returns the number of connections without TLS yet: at most an eighth of the descriptors.
  static func newcomersMax(_ configuration: ServerConfiguration) -> Int {
    guard configuration.tls != nil else { return 0 }
    let granted = DescriptorLimit.raise()
    let all = ServerLimits.tlsNewcomersMax + ServerLimits.tlsHandshakesAtOnceMax
    return granted > 0 ? min(all, max(2, granted / 8)) : all
  }

  /// The certificate in force.
  var context: TLSContext { present.withLock { $0 } }

  /// Begins to listen at an address.
  ///
  /// - Returns: The address, with the actual port.
  func listen(at address: SocketAddress, for service: Service) async throws -> SocketAddress {
    let listening = Promise<Result<SocketAddress, any Error>>()
    mailbox.send(.listen(address, service, listening))
    return try await listening.valueDespiteCancellation().get()
  }

  /// Reads the certificate again; see ``Server/reloadCertificate()``.
  func reload() throws(TLSFailure) -> String? {
    if case .selfSigned = configuration.identity { return nil }
    let last = context
    let next = try TLSContext.server(
      configuration.identity, clientAuthorities: configuration.adminClientAuthorities, after: last)
    present.withLock { $0 = next }
    return next.hasCertificate(of: last) ? nil : "the certificate is new, and \(validity)"
  }

  /// Writes to the log how long the certificate is valid.
  func reportCertificate() {
    switch configuration.identity {
    case .selfSigned:
      log(
        .warning, "TLS has a certificate of the daemon's own making (--tls-self-signed): no client trusts it by itself")
    case .files:
      let isShort = secondsValid < ServerLimits.tlsWarningSeconds || context.secondsUntilValid ?? 0 > 0
      log(isShort ? .warning : .info, "TLS: the certificate is \(validity)")
    }
  }

  private var secondsValid: Int { context.secondsValid ?? 0 }

  private var validity: String {
    if let seconds = context.secondsUntilValid, seconds > 0 { return "not valid before \(seconds) seconds from now" }
    return secondsValid < 0 ? "not valid any more: it has expired" : "valid for \(secondsValid / 86_400) days"
  }

  // MARK: Counting

  func count(_ change: (inout TLSFigures) -> Void) { counted.withLock { change(&$0) } }

  var figures: TLSFigures {
    var figures = counted.withLock { $0 }
    figures.secondsValid = secondsValid
    return figures
  }
}
