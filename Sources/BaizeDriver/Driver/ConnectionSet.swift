import BaizeHTTP
import BaizeTable
package import BaizeTransport
package import BaizeWire

/// The connections of one handler on one loop: the owner of each, by a number that the handler chooses, and the buffers to
/// read and write frames with. Messages are those of a stream, or of WebSocket.
package final class ConnectionSet {
  package let loop: EventLoop
  package let reader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)
  /// Whether messages are those of WebSocket, at the daemon's HTTP address.
  package let usesWebSocket: Bool
  private var writer = FrameWriter()
  /// A frame of WebSocket that is being written.
  private var frame = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 12, alignment: 16)
  /// By the transport's slot.
  @usableFromInline var owners: [Owner] = []

  @usableFromInline struct Owner {
    @usableFromInline var generation: UInt32 = 0
    @usableFromInline var number = -1
    /// Whether the daemon has changed the connection to WebSocket.
    @usableFromInline var isUpgraded = false
  }

  /// - Parameter usesWebSocket: Whether the connections are WebSockets; otherwise they are streams.
  package init(usesWebSocket: Bool = false) throws {
    self.usesWebSocket = usesWebSocket
    loop = try EventLoop(
      waker: try Waker(), leftoverBytesMax: WireLimits.serverFrameBytesMax + WebSocketFrame.headerBytesMax)
  }

  deinit { frame.deallocate() }

  /// Begins to connect.
  ///
  /// - Parameter number: The handler's number for the connection.
  package func connect(to address: SocketAddress, as number: Int) throws -> ConnectionKey {
    let key = try loop.connect(to: address)
    while owners.count <= Int(key.slot) { owners.append(Owner()) }
    owners[Int(key.slot)] = Owner(generation: key.generation, number: number)
    return key
  }

  /// Returns the number of a connection; `nil` once its owner has closed it.
  @inlinable
  package func number(of key: ConnectionKey) -> Int? {
    guard Int(key.slot) < owners.count else { return nil }
    let owner = owners[Int(key.slot)]
    return owner.generation == key.generation && owner.number >= 0 ? owner.number : nil
  }

  /// Closes a connection. Its handler gets no further call for it.
  package func drop(_ key: ConnectionKey, afterFlush: Bool = false) {
    owners[Int(key.slot)].number = -1
    loop.close(key, afterFlush: afterFlush)
  }

  package func send(_ message: ClientMessage, to key: ConnectionKey) {
    writer.removeAll()
    writer.frame(message)
    writer.withUnsafeBytes { append($0, to: key) }
  }

  /// Queues one frame of a stream: as it is, or as one of WebSocket.
  package func append(_ bytes: UnsafeRawBufferPointer, to key: ConnectionKey) {
    guard usesWebSocket else {
      loop.append(key, bytes)
      return
    }
    guard let payload = try? reader.next(in: bytes) else { return }
    if frame.count < payload.count + WebSocketFrame.headerBytesMax {
      frame.deallocate()
      frame = .allocate(byteCount: 2 * payload.count + WebSocketFrame.headerBytesMax, alignment: 16)
    }
    guard let start = frame.baseAddress else { return }
    // A browser's masks are random; the daemon's work is the same for any.
    let count = WebSocketFrame.write(
      .binary, UnsafeRawBufferPointer(rebasing: bytes[payload]), mask: 0x5A17_C3E9, to: start)
    loop.append(key, UnsafeRawBufferPointer(rebasing: frame[..<count]))
  }

  // MARK: WebSocket

  private static let response = Array("HTTP/1.1 101 ".utf8)
  private static let responseEnd = Array("\r\n\r\n".utf8)

  /// Asks the daemon to change the connection to WebSocket.
  package func requestUpgrade(_ key: ConnectionKey) {
    let request =
      "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    Array(request.utf8).withUnsafeBytes { _ = loop.append(key, $0) }
  }

  package func isUpgraded(_ key: ConnectionKey) -> Bool { owners[Int(key.slot)].isUpgraded }

  /// Reads the answer to the request, which changes the connection to WebSocket or refuses that.
  ///
  /// - Returns: Its size; `nil` while it is incomplete.
  fileprivate func readResponse(_ key: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int? {
    guard let end = Array(bytes).firstRange(of: Self.responseEnd) else { return nil }
    owners[Int(key.slot)].isUpgraded = bytes.starts(with: Self.response)
    return end.upperBound
  }

  /// Returns the range of the message that begins at `position`, and the end of its frame; `nil` while it is incomplete.
  @inline(__always) package func next(
    in bytes: UnsafeRawBufferPointer, from position: Int
  ) throws(DecodeError) -> (message: Range<Int>?, end: Int)? {
    guard usesWebSocket else { return try reader.next(in: bytes, from: position).map { ($0, $0.upperBound) } }
    do throws(WebSocketViolation) {
      let frames = WebSocketFrameReader(isServer: false, payloadBytesMax: WireLimits.serverFrameBytesMax)
      return try frames.next(in: bytes, from: position).map { frame in
        (frame.opcode == .binary ? frame.payload : nil, frame.payload.upperBound)
      }
    } catch {
      throw .frameTooLarge
    }
  }
}

/// A handler of a ``ConnectionSet``, called with whole frames and its own numbers.
package protocol FrameHandler: OutgoingHandler {
  var connections: ConnectionSet { get }

  func opened(_ number: Int)

  /// Reads the complete frames of a connection's bytes.
  ///
  /// - Parameter start: The position of the first one.
  /// - Returns: The position behind them.
  func receiveFrames(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer, from start: Int) -> Int

  /// - Throws: An error, which ends the connection with a call of `ended`.
  func receive(_ frame: UnsafeRawBufferPointer, _ number: Int) throws(DecodeError)

  /// Handles the end of a connection: it failed, was closed by the other side, or carried invalid bytes.
  func ended(_ number: Int, _ reason: String)
}

extension FrameHandler {
  package func connected(_ connection: ConnectionKey) {
    guard let number = connections.number(of: connection) else { return }
    if connections.usesWebSocket { connections.requestUpgrade(connection) } else { opened(number) }
  }

  package func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    guard connections.usesWebSocket, !connections.isUpgraded(connection) else {
      return receiveFrames(connection, bytes, from: 0)
    }
    guard let start = upgrade(connection, bytes) else { return 0 }
    return receiveFrames(connection, bytes, from: start)
  }

  package func receiveFrames(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var position = start
    // A frame may lead to the end of its connection.
    while let number = connections.number(of: connection) {
      do throws(DecodeError) {
        guard let (message, end) = try connections.next(in: bytes, from: position) else { return position }
        position = end
        if let message { try receive(UnsafeRawBufferPointer(rebasing: bytes[message]), number) }
      } catch {
        connections.drop(connection)
        ended(number, "unreadable: \(error)")
      }
    }
    return bytes.count
  }

  /// Reads the answer to the request of a WebSocket.
  ///
  /// - Returns: Its size; all bytes if the connection has ended, and `nil` while the answer is incomplete.
  private func upgrade(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int? {
    guard let number = connections.number(of: connection) else { return bytes.count }
    guard let end = connections.readResponse(connection, bytes) else { return nil }
    if connections.isUpgraded(connection) {
      opened(number)
      return end
    }
    connections.drop(connection)
    ended(number, "the daemon refused a WebSocket")
    return bytes.count
  }

  package func connectFailed(_ connection: ConnectionKey, _ error: SystemError) {
    end(connection, "cannot connect: \(error)")
  }

  package func closed(_ connection: ConnectionKey, _ reason: CloseReason) {
    end(connection, "connection closed: \(reason)")
  }

  private func end(_ connection: ConnectionKey, _ reason: String) {
    guard let number = connections.number(of: connection) else { return }
    connections.drop(connection)
    ended(number, reason)
  }

  /// Runs the loop for some time.
  package func run(seconds: Double) throws {
    try connections.loop.run(self, until: MonotonicClock.now() + UInt64(seconds * 1e9))
  }

  /// Makes turns until a condition holds.
  ///
  /// - Returns: The nanoseconds that it took.
  /// - Throws: ``RunFailure`` when it does not hold in time.
  @discardableResult
  package func run(
    seconds: Double = Double(HangGuard.seconds), for what: @autoclosure () -> String, until isDone: () throws -> Bool
  ) throws -> UInt64 {
    try waitUntil(
      seconds: seconds, for: what(), step: { try connections.loop.turn(self, timeout: 5_000_000) }, isDone)
  }
}
