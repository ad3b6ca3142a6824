import BaizeDriver
package import BaizeTable
package import BaizeTransport
package import BaizeWire
import Foundation

/// A client over a plain blocking socket to a daemon on this machine. It sends and reads exactly when a test asks for it:
/// nothing, one byte, or everything available.
package final class BlockingClient {
  private let socket: BlockingSocket
  private var bytes: [UInt8] = []
  private var position = 0
  private let reader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)
  package private(set) var bytesReceived = 0

  /// - Parameters:
  ///   - address: Only its port counts; the host is this machine.
  ///   - source: The last byte of the address on this machine, 127.0.0.x, that it connects from; `nil` for the usual one.
  ///   - receiveBufferBytes: The size of the socket's receive buffer: a small one fills soon if nothing is read.
  package init(_ address: SocketAddress, from source: UInt8? = nil, receiveBufferBytes: Int32? = nil) throws {
    socket = try BlockingSocket(port: address.port, from: source, receiveBufferBytes: receiveBufferBytes)
  }

  deinit { close() }

  /// Whether the daemon closed the connection.
  package var hasEnded: Bool { socket.hasEnded }

  /// Sets the longest time that a read or a write waits.
  package func wait(seconds: Int, microseconds: Int = 0) { socket.wait(seconds: seconds, microseconds: microseconds) }

  package func close() {
    shutdown(socket.descriptor, Int32(SHUT_RDWR))
    socket.close()
  }

  /// Ends its own side of the stream, and can still read.
  package func endSending() { socket.endSending() }

  // MARK: Sending

  package func send(_ messages: ClientMessage...) { write(messages.flatMap { $0.framed() }) }

  package func write(_ bytes: [UInt8]) { socket.write(bytes) }

  // MARK: Receiving

  /// Reads the next message.
  ///
  /// - Returns: `nil` at the end of the stream (``hasEnded``), or if nothing arrives in time.
  package func next() throws -> ServerMessage? {
    while true {
      if let message = try buffered() { return message }
      guard fill(waiting: true) else { return nil }
    }
  }

  /// Returns the messages that one read returns without waiting.
  package func available() throws -> [ServerMessage] {
    _ = fill(waiting: false)
    var messages: [ServerMessage] = []
    while let message = try buffered() { messages.append(message) }
    return messages
  }

  /// Takes the next message from the received bytes.
  private func buffered() throws -> ServerMessage? {
    guard let frame = try reader.next(in: bytes, from: position) else { return nil }
    position = frame.upperBound
    return try bytes.withUnsafeBytes { try ServerMessage(decoding: UnsafeRawBufferPointer(rebasing: $0[frame])) }
  }

  /// Reads bytes that are no messages of the protocol; `nil` at the end of the stream (``hasEnded``), or if nothing arrives in
  /// time.
  package func readBytes(waiting: Bool = true) -> [UInt8]? {
    guard fill(waiting: waiting) else { return nil }
    defer { bytes.removeAll() }
    return bytes
  }

  /// Reads one byte if there is one.
  package func readByte() { _ = fill(waiting: false, bytesMax: 1) }

  /// Skips `count` frames without decoding them.
  package func skip(frames count: Int) throws {
    var left = count
    while left > 0 {
      if let frame = try reader.next(in: bytes, from: position) {
        position = frame.upperBound
        left -= 1
      } else if !fill(waiting: true) {
        throw RunFailure("\(left) of \(count) frames did not come")
      }
    }
  }

  private func fill(waiting: Bool, bytesMax: Int = 1 << 18) -> Bool {
    if position > 1 << 20 {
      bytes.removeFirst(position)
      position = 0
    }
    guard let more = socket.read(upTo: bytesMax, waiting: waiting), !more.isEmpty else { return false }
    bytesReceived += more.count
    bytes += more
    return true
  }

  /// Reads up to the first message for which `pick` returns something; `nil` if none arrives.
  package func first<Picked>(_ pick: (ServerMessage) -> Picked?) throws -> Picked? {
    while let message = try next() {
      if let picked = pick(message) { return picked }
    }
    return nil
  }

  /// Reads up to the next diff.
  package func diff() throws -> Diff? { try first { if case .diff(let diff) = $0 { diff } else { nil } } }

  /// Reads up to the daemon's goodbye, and then to the end of the stream, before which nothing else may arrive.
  ///
  /// - Returns: `nil` if there is no goodbye, or if the stream does not end.
  package func goodbye() throws -> Goodbye? {
    let goodbye = try first { if case .goodbye(let goodbye) = $0 { goodbye } else { nil } }
    if let message = try next() { throw RunFailure("after the goodbye came \(message)") }
    return hasEnded ? goodbye : nil
  }

  /// Sends a ping and reads up to its answer.
  package func ping(_ nonce: UInt64, wantsHash: Bool = false) throws -> Pong? {
    send(.ping(Ping(nonce: nonce, wantsHash: wantsHash)))
    return try first { message in
      if case .pong(let pong) = message, pong.nonce == nonce { pong } else { nil }
    }
  }

  // MARK: Joining

  /// Connects and joins a table.
  package static func joining(
    _ address: SocketAddress, _ hello: Hello
  ) throws -> (client: BlockingClient, joined: Joined) {
    let client = try BlockingClient(address)
    return (client, try client.join(hello))
  }

  /// Sends a hello and reads up to the end of the snapshot.
  ///
  /// - Throws: ``RunFailure`` if the daemon sends a goodbye, or nothing more.
  @discardableResult
  package func join(_ hello: Hello) throws -> Joined {
    send(.hello(hello))
    return try joined()
  }

  /// Reads up to the end of the snapshot.
  @discardableResult
  package func joined() throws -> Joined {
    var joined: Joined?
    while let message = try next() {
      switch message {
      case .welcome(let welcome): joined = Joined(welcome: welcome)
      case .snapshot(let part):
        if part.isFirst { joined?.items = [] }
        joined?.items += part.items.map(\.id)
        joined?.parts += 1
        joined?.revision = part.revision
        if part.isComplete, let joined { return joined }
      case .goodbye(let goodbye): throw RunFailure("turned away: \(goodbye)")
      case .diff, .outcome, .drag, .pong, .seats, .presence, .chat, .countdown, .tokenTime, .watching, .unknown: break
      }
    }
    throw RunFailure("the stream ended before a snapshot was complete")
  }

  /// The knowledge of a client that has joined.
  package struct Joined {
    package var welcome: Welcome
    package var items: [ItemID] = []
    package var parts = 0
    package var revision = Revision.zero

    package init(welcome: Welcome) { self.welcome = welcome }

    /// Returns the operation `number` of this session.
    package func operation(_ kind: TableOperation.Kind, number: UInt64, base: Revision? = nil) -> ClientMessage {
      .operation(
        TableOperation(
          sequence: SequenceNumber(rawValue: number), base: base ?? revision, epoch: welcome.epoch, kind: kind))
    }

    /// Returns the operation `number` that moves an item to the end of the first collection.
    package func move(_ item: ItemID, number: UInt64, base: Revision? = nil) -> ClientMessage {
      operation(.move([item], to: .end(of: CollectionHandle(rawValue: 1))), number: number, base: base)
    }
  }
}
