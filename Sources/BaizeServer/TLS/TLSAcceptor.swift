import BaizeHTTP
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// The thread of handshakes: it accepts connections at every address with TLS, and hands them over once TLS is established.
///
/// ```
/// accepted ─▶ PROXY header, from a proxy ─▶ first byte ─▶ within the limits? ─▶ handshake ─▶ shard, or thread of HTTP
///                                               └▶ no TLS: an answer without it, which says so
/// ```
///
/// So no number of handshakes delays a table. A newcomer always gets a place (``HTTPPlaces``): where none is free, the oldest
/// one gives its own up. A handshake over a limit waits for the next interval.
final class TLSAcceptor {
  private enum Phase {
    case none
    case proxied
    /// Nothing has arrived.
    case first
    /// The handshake waits because of a limit.
    case waiting
    case handshake
    case closing
  }

  private struct Newcomer {
    var phase = Phase.none
    var generation: UInt32 = 0
    var peer = SocketAddress.loopback(port: 0)
    var service = 0
    /// The time at which it must have finished, in monotonic nanoseconds.
    var deadline: UInt64 = 0
  }

  private let endpoint: TLSEndpoint
  private let loop: EventLoop
  private let log: Log
  private let proxies: [AddressRange]
  private let nanosecondsMax: UInt64
  /// By the number of the listener, in the order in which they were opened.
  private var services: [(listener: ListenerKey, service: TLSEndpoint.Service)] = []
  /// By the transport's slot.
  private var newcomers: [Newcomer] = []
  private var places: (waiting: HTTPPlaces, handshakes: HTTPPlaces)
  private var rates: HandshakeRates
  private var waiting: [ConnectionKey] = []
  private var reports = ReportLimit<SocketAddress.Host>()
  private var nextTick: UInt64
  private var stopsAt: UInt64?

  private init(_ endpoint: TLSEndpoint, _ configuration: ServerConfiguration) throws {
    self.endpoint = endpoint
    (log, proxies) = (configuration.log, configuration.proxies)
    nanosecondsMax = configuration.limits.connections.handshakeSeconds * 1_000_000_000
    let count = TLSEndpoint.newcomersMax(configuration)
    let handshakes = min(ServerLimits.tlsHandshakesAtOnceMax, max(1, count / 2))
    places = (HTTPPlaces(max(1, count - handshakes)), HTTPPlaces(handshakes))
    rates = HandshakeRates(configuration)
    loop = try EventLoop(
      selector: configuration.selector, waker: endpoint.waker, leftoverBytesMax: TLSLimits.firstBytesMax)
    nextTick = loop.now + ServerLimits.tickNanoseconds
  }

  /// Runs the body of the thread.
  static func run(_ endpoint: TLSEndpoint, _ configuration: ServerConfiguration) {
    do {
      let acceptor = try TLSAcceptor(endpoint, configuration)
      try acceptor.loop.run(acceptor)
    } catch {
      configuration.log(.error, "no connection with TLS is accepted any more: \(error)")
      endpoint.refuseAll(error)
    }
    endpoint.ended.resolve(())
  }

  // MARK: Beginning

  private func receiveProxyHeader(_ bytes: UnsafeRawBufferPointer, from key: ConnectionKey) -> Int {
    let slot = Int(key.slot)
    do throws(ProxyHeaderError) {
      guard let header = try ProxyHeader.read(bytes) else { return 0 }
      leavePlace(slot)
      if let source = header.source { newcomers[slot].peer = source }
      takePlace(slot)
      newcomers[slot].phase = .first
      // The bytes behind the header are presented as if they had just arrived.
      loop.pauseReading(key)
      loop.resumeReading(key)
      return header.byteCount
    } catch {
      failed(key, "\(error)")
      close(key, afterFlush: false)
      return bytes.count
    }
  }

  private func receiveFirst(_ bytes: UnsafeRawBufferPointer, from key: ConnectionKey) -> Int {
    guard bytes.first == TLSLimits.handshakeRecord else {
      failed(
        key,
        ProxyHeader.isFirst(of: bytes)
          ? AdmissionReports.unexpected : "the client does not use TLS, which this port needs")
      answerPlainly(key)
      return bytes.count
    }
    begin(key)
    return 0
  }

  /// Begins a handshake, or has it wait.
  private func begin(_ key: ConnectionKey) {
    let slot = Int(key.slot)
    guard rates.begin(newcomers[slot].peer, at: loop.now) else {
      newcomers[slot].phase = .waiting
      loop.pauseReading(key)
      waiting.append(key)
      return
    }
    leavePlace(slot)
    newcomers[slot].phase = .handshake
    takePlace(slot)
    do throws(TLSFailure) {
      try loop.secure(key, endpoint.context, for: services[newcomers[slot].service].service.tls)
      loop.resumeReading(key)
    } catch {
      failed(key, error.description)
      close(key, afterFlush: false)
    }
  }

  /// Begins the handshakes that waited for a new interval, as far as the limits allow it.
  private func beginWaiting() {
    let keys = waiting
    waiting.removeAll(keepingCapacity: true)
    for key in keys where isPresent(key, .waiting) { begin(key) }
  }

  /// Answers a client that does not use TLS that the port requires it: a goodbye, or an HTTP response.
  private func answerPlainly(_ key: ConnectionKey) {
    let bytes: [UInt8]
    switch services[newcomers[Int(key.slot)].service].service {
    case .shards:
      bytes = ServerMessage.goodbye(Goodbye(.malformed, detail: "this port needs TLS")).framed()
    case .http, .admin:
      bytes = HTTPResponse.plain(.badRequest, "This address needs TLS: https, not http.\n")
    }
    bytes.withUnsafeBytes { _ = loop.append(key, $0) }
    close(key, afterFlush: true)
  }

  // MARK: Places

  private func takePlace(_ slot: Int) {
    let host = newcomers[slot].peer.host
    if case .handshake = newcomers[slot].phase {
      if let other = places.handshakes.successorOf(newcomer: host) { evict(other) }
      places.handshakes.take(slot, host)
    } else {
      if let other = places.waiting.successorOf(newcomer: host) { evict(other) }
      places.waiting.take(slot, host)
    }
  }

  private func leavePlace(_ slot: Int) {
    places.waiting.leave(slot)
    places.handshakes.leave(slot)
  }

  private func evict(_ slot: Int) {
    let key = ConnectionKey(slot: UInt32(slot), generation: newcomers[slot].generation)
    failed(key, "it has not finished, and gives way to a new connection")
    close(key, afterFlush: false)
  }

  // MARK: Ending

  private func isPresent(_ key: ConnectionKey, _ phase: Phase) -> Bool {
    newcomers[Int(key.slot)].generation == key.generation && newcomers[Int(key.slot)].phase == phase
  }

  private func close(_ key: ConnectionKey, afterFlush: Bool) {
    leavePlace(Int(key.slot))
    newcomers[Int(key.slot)].phase = .closing
    loop.close(key, afterFlush: afterFlush)
  }

  /// Counts a connection that does not become secure, and says why in the log: once a minute of each address.
  private func failed(_ key: ConnectionKey, _ reason: String) {
    let newcomer = newcomers[Int(key.slot)]
    endpoint.count { $0.failed += 1 }
    let isNew = reports.admits(newcomer.peer.host.counted, at: Instant(nanoseconds: loop.now))
    log(isNew ? .info : .debug, "\(newcomer.peer) is not served \(services[newcomer.service].service.name): \(reason)")
  }

  private func tick(at now: UInt64) {
    nextTick = now + ServerLimits.tickNanoseconds
    for slot in newcomers.indices where newcomers[slot].deadline <= now {
      switch newcomers[slot].phase {
      case .none, .closing: break
      case .proxied, .first, .waiting, .handshake:
        let key = ConnectionKey(slot: UInt32(slot), generation: newcomers[slot].generation)
        failed(key, "the handshake of TLS took too long")
        close(key, afterFlush: false)
      }
    }
  }

  private func shutDown() {
    guard stopsAt == nil else { return }
    stopsAt = loop.now + ServerLimits.stopNanoseconds
    for (listener, _) in services { loop.stopListening(listener) }
    for slot in newcomers.indices {
      switch newcomers[slot].phase {
      case .none, .closing: break
      case .proxied, .first, .waiting, .handshake:
        close(ConnectionKey(slot: UInt32(slot), generation: newcomers[slot].generation), afterFlush: false)
      }
    }
  }
}

extension TLSAcceptor: EventLoopHandler {
  func accepted(_ key: ConnectionKey, from peer: SocketAddress, on listener: ListenerKey) {
    guard let service = services.firstIndex(where: { $0.listener == listener }) else { return loop.close(key) }
    while newcomers.count <= Int(key.slot) { newcomers.append(Newcomer()) }
    let isProxied = services[service].service.hasProxies && proxies.contains { $0.contains(peer.host) }
    newcomers[Int(key.slot)] = Newcomer(
      phase: isProxied ? .proxied : .first, generation: key.generation, peer: peer, service: service,
      deadline: loop.now + nanosecondsMax)
    takePlace(Int(key.slot))
  }

  func received(_ key: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    switch newcomers[Int(key.slot)].phase {
    case .proxied: receiveProxyHeader(bytes, from: key)
    case .first: receiveFirst(bytes, from: key)
    case .none, .waiting, .handshake, .closing: 0
    }
  }

  func secured(_ key: ConnectionKey) {
    let newcomer = newcomers[Int(key.slot)]
    guard isPresent(key, .handshake), let connection = loop.detach(key) else { return }
    leavePlace(Int(key.slot))
    newcomers[Int(key.slot)] = Newcomer()
    endpoint.count { $0.established += 1 }
    switch services[newcomer.service].service {
    case .shards(let shards): shards[0].mailbox.send(.secured(connection, peer: newcomer.peer))
    case .http(let http), .admin(let http): http.mailbox.send(.secured(connection, peer: newcomer.peer))
    }
  }

  func closed(_ key: ConnectionKey, _ reason: CloseReason) {
    guard newcomers[Int(key.slot)].generation == key.generation else { return }
    switch (newcomers[Int(key.slot)].phase, reason) {
    // Nothing was sent: a check of whether the port is open, say.
    case (.closing, _), (.none, _), (.first, .peerClosed): break
    case (_, .insecure(let failure)): failed(key, failure.description)
    case (_, .peerClosed): failed(key, "the client ended the connection within the handshake of TLS")
    case (_, let reason): failed(key, "\(reason)")
    }
    leavePlace(Int(key.slot))
    newcomers[Int(key.slot)] = Newcomer()
  }

  func woken() {
    var messages: [TLSEndpoint.Message] = []
    endpoint.mailbox.drain(into: &messages)
    for message in messages {
      switch message {
      case .listen(let address, let service, let answer):
        do {
          let listener = try loop.listen(on: address)
          services.append((listener, service))
          answer.resolve(.success(loop.address(of: listener) ?? address))
        } catch {
          answer.resolve(.failure(error))
        }
      case .shutDown: shutDown()
      }
    }
  }

  func turnEnded(now: UInt64) {
    if now >= nextTick { tick(at: now) }
    if !waiting.isEmpty, now >= rates.intervalEnd { beginWaiting() }
    endpoint.count { ($0.waiting, $0.handshakes) = (places.waiting.taken, places.handshakes.taken) }
    if let stopsAt, loop.connectionCount == 0 || now >= stopsAt { loop.stop() }
  }

  var nextDeadline: UInt64? {
    guard stopsAt != nil || loop.connectionCount > 0 else { return nil }
    return min(nextTick, min(stopsAt ?? .max, waiting.isEmpty ? .max : rates.intervalEnd))
  }

  func acceptPaused(_ listener: ListenerKey, _ error: SystemError) {
    log(.warning, "no connection with TLS can be accepted at the moment: \(error)")
  }

  /// Does nothing: it queues too little to back up, and opens no connections.
  func drained(_ connection: ConnectionKey, pendingBytes: Int) {}
  func connected(_ connection: ConnectionKey) {}
  func connectFailed(_ connection: ConnectionKey, _ error: SystemError) {}
}

extension TLSEndpoint.Service {
  fileprivate var tls: TLSService {
    switch self {
    case .shards: .baize
    case .http: .http
    case .admin: .certifiedHTTP
    }
  }

  fileprivate var name: String {
    switch self {
    case .shards: "over TCP"
    case .http: "over HTTP"
    case .admin: "at the operator's address"
    }
  }

  /// Whether the addresses of `--proxy-protocol` send their header here.
  fileprivate var hasProxies: Bool {
    switch self {
    case .shards, .http: true
    case .admin: false
    }
  }
}

extension TLSEndpoint {
  /// Refuses to listen, since the thread has failed.
  fileprivate func refuseAll(_ error: any Error) {
    var messages: [Message] = []
    mailbox.drain(into: &messages)
    for case .listen(_, _, let answer) in messages { answer.resolve(.failure(error)) }
  }
}
