import BaizeHTTP
import BaizeSync
import BaizeTable
import BaizeTransport

/// A thread that answers HTTP requests, so that no number of them delays a table.
///
/// A connection has one response at a time: its next request is read when the client has taken the last one. What is sent
/// is mostly a part of the program, and costs no memory for a client that does not read it.
///
/// A newcomer always gets a place (``HTTPPlaces``). Where strangers have other places than those who show a right, no number of
/// strangers takes one of theirs.
final class HTTPService<Routes: HTTPRoutes> {
  private let endpoint: HTTPEndpoint
  private let loop: EventLoop
  /// `nil` if the connections come with TLS (``TLSAcceptor``).
  private let listener: ListenerKey?
  private let address: SocketAddress
  private let proxies: [AddressRange]
  private let log: Log
  private var reports: AdmissionReports
  private let times: (strangers: HTTPTimes, authorized: HTTPTimes)
  private var places: (strangers: HTTPPlaces, authorized: HTTPPlaces)
  private var routes: Routes
  /// Counts a connection that changes to WebSocket as one of a table, if there may be another of its client.
  private let admit: (SocketAddress) -> Bool
  /// Receives the connections that change to WebSocket, with all bytes behind the request; `nil` for one that has just ended.
  private let handOver: (DetachedConnection?, SocketAddress) -> Void
  /// Charges the memory of the queues. Returns whether new connections are to be rejected.
  private let charge: (Int) -> Bool
  /// By the transport's slot.
  private var connections: [HTTPConnection] = []
  private var nextTick: UInt64
  /// The time at which the thread ends even if clients have not taken their responses; `nil` unless it is stopping.
  private var stopsAt: UInt64?
  private var isStopping: Bool { stopsAt != nil }
  private var isShort = false
  /// The number of rejected connections that are still being sent their response.
  private var rejectedCount = 0

  init(
    _ endpoint: HTTPEndpoint, _ routes: Routes, at address: SocketAddress,
    _ places: (strangers: HTTPPlaces, authorized: HTTPPlaces), _ times: (strangers: HTTPTimes, authorized: HTTPTimes),
    hasTLS: Bool, proxies: [AddressRange] = [], selector: SelectorKind, _ log: Log,
    charge: @escaping (Int) -> Bool, admit: @escaping (SocketAddress) -> Bool,
    handOver: @escaping (DetachedConnection?, SocketAddress) -> Void
  ) throws {
    self.endpoint = endpoint
    self.routes = routes
    (self.places, self.times) = (places, times)
    self.proxies = proxies
    (self.log, reports) = (log, AdmissionReports(log))
    self.charge = charge
    self.admit = admit
    self.handOver = handOver
    loop = try EventLoop(
      selector: selector, waker: endpoint.waker, leftoverBytesMax: HTTPLimits.headBytesMax + routes.bodyBytesMax + 4)
    listener = hasTLS ? nil : try loop.listen(on: address)
    self.address = listener.flatMap(loop.address) ?? address
    nextTick = loop.now + ServerLimits.tickNanoseconds
  }

  /// Runs the body of the service's thread.
  func serve() {
    endpoint.started.resolve(.success(address))
    do {
      try loop.run(self)
    } catch {
      log(.error, "HTTP is not served any more: \(error)")
    }
  }

  // MARK: Responding

  /// Reads one request.
  ///
  /// - Returns: The number of bytes consumed.
  private func receiveRequest(_ bytes: UnsafeRawBufferPointer, from key: ConnectionKey) -> Int {
    let slot = Int(key.slot)
    do throws(HTTPRefusal) {
      let hadBegun = connections[slot].reader.hasBegun
      guard let (request, count) = try connections[slot].reader.next(in: bytes) else {
        if !hadBegun { connections[slot].deadline = loop.now + times(of: slot).requestNanoseconds }
        return 0
      }
      respond(to: request, of: count, on: key)
      return count
    } catch {
      log(.debug, "\(connections[slot].peer) \(key) sent no request: \(error.detail)")
      reports.check(connections[slot].peer, bytes, at: Instant(nanoseconds: loop.now))
      respond(.refusal(error, HTTPSecurity.own), on: key, closes: true, hasBody: true)
      return bytes.count
    }
  }

  private func respond(to request: HTTPRequest, of count: Int, on key: ConnectionKey) {
    let slot = Int(key.slot)
    let peer = connections[slot].peer
    log(.debug, "\(peer) \(key): \(request.method.quotedForLog) \(request.path.quotedForLog)")
    noteRequest(of: slot, isAuthorized: routes.isAuthorized(request))
    let answer = routes.answer(request, from: peer, queuedBytes: loop.queueMemoryBytes)
    let closes = !request.isPersistent || isStopping
    guard case .webSocket(let response) = answer else {
      if case .response(let response, _) = answer {
        reports.refused(peer, request, response.status, at: Instant(nanoseconds: loop.now))
      }
      return respond(answer, on: key, closes: closes, hasBody: request.method != "HEAD")
    }
    guard admit(peer) else { return respond(tooMany, on: key, closes: closes, hasBody: true) }
    append(response, bodyBytes: nil, closes: false, to: key)
    leavePlace(slot)
    connections[slot] = HTTPConnection()
    handOver(loop.detach(key, consuming: count), peer)
  }

  private var tooMany: HTTPAnswer {
    .refusal(
      HTTPRefusal(.serviceUnavailable, "too many connections"), HTTPSecurity.own + [HTTPField("Retry-After", "1")])
  }

  private func respond(_ answer: HTTPAnswer, on key: ConnectionKey, closes: Bool, hasBody: Bool) {
    guard case .response(let response, let body) = answer else { return }
    append(response, bodyBytes: response.status.hasBody ? body.count : nil, closes: closes, to: key)
    if hasBody {
      switch body {
      case .none: break
      case .bytes(let bytes): bytes.withUnsafeBytes { _ = loop.append(key, $0) }
      case .permanent(let bytes): loop.append(key, permanent: bytes)
      }
    }
    loop.pauseReading(key)
    loop.setDrainMark(key, bytes: 0)
    connections[Int(key.slot)].phase = .responding(closes: closes)
    connections[Int(key.slot)].awaitTaking(
      at: loop.now, taken: loop.takenBytes(key) ?? 0, times(of: Int(key.slot)))
  }

  private func append(_ response: HTTPResponse, bodyBytes: Int?, closes: Bool, to key: ConnectionKey) {
    var response = response
    response.fields += HTTPSecurity.fields
    response.head(bodyBytes: bodyBytes, closes: closes).withUnsafeBytes { _ = loop.append(key, $0) }
  }

  // MARK: Places

  private func times(of slot: Int) -> HTTPTimes {
    switch connections[slot].place {
    case .none, .rejected, .stranger: times.strangers
    case .authorized: times.authorized
    }
  }

  /// Gives a connection one of the places of strangers.
  private func takePlace(_ slot: Int) {
    let host = connections[slot].peer.host
    if let other = places.strangers.successorOf(newcomer: host) { evict(other) }
    places.strangers.take(slot, host)
    connections[slot].place = .stranger
  }

  /// Notes a request: its connection rests for a shorter time than others, and has another place once it has shown a right.
  private func noteRequest(of slot: Int, isAuthorized: Bool) {
    switch connections[slot].place {
    case .none, .rejected: break
    case .stranger where isAuthorized:
      let host = connections[slot].peer.host
      places.strangers.leave(slot)
      if let other = places.authorized.successorOf(newcomer: host) { evict(other) }
      places.authorized.take(slot, host)
      connections[slot].place = .authorized
    case .stranger: places.strangers.touch(slot)
    case .authorized: places.authorized.touch(slot)
    }
  }

  private func leavePlace(_ slot: Int) {
    switch connections[slot].place {
    case .none: break
    case .rejected: rejectedCount -= 1
    case .stranger: places.strangers.leave(slot)
    case .authorized: places.authorized.leave(slot)
    }
    connections[slot].place = .none
  }

  /// Closes a connection that gives its place up.
  private func evict(_ slot: Int) {
    let key = ConnectionKey(slot: UInt32(slot), generation: connections[slot].generation)
    log(.debug, "\(connections[slot].peer) \(key) gives way to a new connection")
    leavePlace(slot)
    close(key, afterFlush: false)
  }

  // MARK: Ending

  private func close(_ key: ConnectionKey, afterFlush: Bool = true) {
    connections[Int(key.slot)].phase = .closing
    loop.close(key, afterFlush: afterFlush)
  }

  /// Handles the ends of phases.
  private func tick(at now: UInt64) {
    nextTick = now + ServerLimits.tickNanoseconds
    for slot in connections.indices where connections[slot].deadline <= now {
      let key = ConnectionKey(slot: UInt32(slot), generation: connections[slot].generation)
      switch connections[slot].phase {
      case .none, .closing: break
      case .proxied: close(key)
      case .responding:
        if let taken = loop.takenBytes(key), connections[slot].isTaking(taken) {
          connections[slot].awaitTaking(at: now, taken: taken, times(of: slot))
          continue
        }
        connections[slot].phase = .closing
        loop.close(key)
      case .receiving where connections[slot].reader.hasBegun:
        respond(
          .refusal(HTTPRefusal(.requestTimeout, "the request took too long"), HTTPSecurity.own), on: key, closes: true,
          hasBody: true)
      case .receiving: close(key)
      }
    }
  }

  private func shutDown() {
    guard !isStopping else { return }
    stopsAt = loop.now + ServerLimits.stopNanoseconds
    if let listener { loop.stopListening(listener) }
    for slot in connections.indices {
      switch connections[slot].phase {
      case .receiving, .proxied: close(ConnectionKey(slot: UInt32(slot), generation: connections[slot].generation))
      case .none, .responding, .closing: break
      }
    }
  }
}

extension HTTPService: EventLoopHandler {
  func accepted(_ key: ConnectionKey, from peer: SocketAddress, on listener: ListenerKey) {
    let isProxied = proxies.contains { $0.contains(peer.host) }
    begin(key, from: peer, isProxied ? .proxied : .receiving)
  }

  /// Takes over a new connection on which TLS is established.
  private func adopt(_ connection: DetachedConnection, from peer: SocketAddress) {
    guard !isStopping else { return connection.close() }
    do {
      begin(try loop.adopt(connection), from: peer, .receiving)
    } catch {
      log(.warning, "\(peer) could not be handed over: \(error)")
    }
  }

  private func begin(_ key: ConnectionKey, from peer: SocketAddress, _ phase: HTTPConnection.Phase) {
    while connections.count <= Int(key.slot) { connections.append(HTTPConnection()) }
    var connection = HTTPConnection()
    connection.generation = key.generation
    connection.peer = peer
    connection.reader = HTTPRequestReader(bodyBytesMax: routes.bodyBytesMax)
    connection.deadline = loop.now + times.strangers.requestNanoseconds
    connections[Int(key.slot)] = connection
    receiveNewcomer(key, phase)
  }

  /// Gives a connection a place, unless memory is short.
  private func receiveNewcomer(_ key: ConnectionKey, _ phase: HTTPConnection.Phase) {
    guard !isShort else { return reject(key) }
    takePlace(Int(key.slot))
    connections[Int(key.slot)].phase = phase
  }

  private func reject(_ key: ConnectionKey) {
    connections[Int(key.slot)].place = .rejected
    rejectedCount += 1
    guard rejectedCount <= ServerLimits.rejectedConnectionsMax else { return close(key, afterFlush: false) }
    respond(tooMany, on: key, closes: true, hasBody: true)
  }

  /// Receives the header in front of a proxy's connection, which tells its client.
  ///
  /// - Returns: The number of bytes consumed; the others are presented again.
  private func receiveProxyHeader(_ bytes: UnsafeRawBufferPointer, from key: ConnectionKey) -> Int {
    do throws(ProxyHeaderError) {
      guard let header = try ProxyHeader.read(bytes) else { return 0 }
      leavePlace(Int(key.slot))
      if let source = header.source { connections[Int(key.slot)].peer = source }
      // The bytes behind the header are presented as if they had just arrived.
      loop.pauseReading(key)
      loop.resumeReading(key)
      receiveNewcomer(key, .receiving)
      return header.byteCount
    } catch {
      reports.refused(connections[Int(key.slot)].peer, error, at: Instant(nanoseconds: loop.now))
      respond(
        .refusal(HTTPRefusal(.badRequest, error.description), HTTPSecurity.own), on: key, closes: true, hasBody: true)
      return bytes.count
    }
  }

  func received(_ key: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    switch connections[Int(key.slot)].phase {
    case .proxied: receiveProxyHeader(bytes, from: key)
    case .receiving: receiveRequest(bytes, from: key)
    case .none, .responding, .closing: 0
    }
  }

  func drained(_ key: ConnectionKey, pendingBytes: Int) {
    guard connections[Int(key.slot)].generation == key.generation,
      case .responding(let closes) = connections[Int(key.slot)].phase
    else { return }
    if closes || isStopping { return close(key) }
    connections[Int(key.slot)].phase = .receiving
    connections[Int(key.slot)].deadline = loop.now + times(of: Int(key.slot)).idleNanoseconds
    loop.resumeReading(key)
  }

  func closed(_ key: ConnectionKey, _ reason: CloseReason) {
    let connection = connections[Int(key.slot)]
    guard connection.generation == key.generation else { return }
    leavePlace(Int(key.slot))
    connections[Int(key.slot)] = HTTPConnection()
  }

  func woken() {
    var messages: [HTTPEndpoint.Message] = []
    endpoint.mailbox.drain(into: &messages)
    for message in messages {
      switch message {
      case .secured(let connection, let peer): adopt(connection, from: peer)
      case .shutDown: shutDown()
      }
    }
  }

  func turnEnded(now: UInt64) {
    if now >= nextTick { tick(at: now) }
    isShort = charge(loop.queueMemoryBytes)
    if let stopsAt, loop.connectionCount == 0 || now >= stopsAt { loop.stop() }
  }

  var nextDeadline: UInt64? { isStopping || loop.connectionCount > 0 ? min(nextTick, stopsAt ?? .max) : nil }

  func acceptPaused(_ listener: ListenerKey, _ error: SystemError) {
    log(.warning, "no HTTP connection can be accepted at the moment: \(error)")
  }

  func connected(_ connection: ConnectionKey) {}
  func connectFailed(_ connection: ConnectionKey, _ error: SystemError) {}
}
