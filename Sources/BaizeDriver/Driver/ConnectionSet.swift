import BaizeHTTP
import BaizeTable
import BaizeTransport
import BaizeWire

/// The connections of a driver: the number of each, which the driver chooses, and the buffers to read and write frames with.
/// Messages are those of a stream, or of WebSocket.
final class ConnectionSet {
  let loop: EventLoop
  let reader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)
  /// Whether messages are those of WebSocket, at the daemon's HTTP address.
  let usesWebSocket: Bool
  private var writer = FrameWriter()
  /// A frame of WebSocket that is being written.
  private var frame = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 12, alignment: 16)
  /// By the transport's slot.
  private var owners: [Owner] = []

  private struct Owner {
    var generation: UInt32 = 0
    var number = -1
    /// Whether the daemon has changed the connection to WebSocket.
    var isUpgraded = false
  }

  /// - Parameter usesWebSocket: Whether the connections are WebSockets; otherwise they are streams.
  init(usesWebSocket: Bool = false) throws {
    self.usesWebSocket = usesWebSocket
    loop = try EventLoop(
      waker: try Waker(), leftoverBytesMax: WireLimits.serverFrameBytesMax + WebSocketFrame.headerBytesMax)
  }

  deinit { frame.deallocate() }

  /// Begins to connect.
  ///
  /// - Parameter number: The driver's number for the connection.
  func connect(to address: SocketAddress, as number: Int) throws -> ConnectionKey {
    let key = try loop.connect(to: address)
    while owners.count <= Int(key.slot) { owners.append(Owner()) }
    owners[Int(key.slot)] = Owner(generation: key.generation, number: number)
    return key
  }

  /// Returns the number of a connection; `nil` once the driver has closed it.
  func number(of key: ConnectionKey) -> Int? {
    guard Int(key.slot) < owners.count else { return nil }
    let owner = owners[Int(key.slot)]
    return owner.generation == key.generation && owner.number >= 0 ? owner.number : nil
  }

  /// Closes a connection. The driver gets no further call for it.
  func drop(_ key: ConnectionKey, afterFlush: Bool = false) {
    owners[Int(key.slot)].number = -1
    loop.close(key, afterFlush: afterFlush)
  }

  func send(_ message: ClientMessage, to key: ConnectionKey) {
    writer.removeAll()
    writer.frame(message)
    writer.withUnsafeBytes { append($0, to: key) }
  }

  /// Queues one frame of a stream: as it is, or as one of WebSocket.
  func append(_ bytes: UnsafeRawBufferPointer, to key: ConnectionKey) {
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
  func requestUpgrade(_ key: ConnectionKey) {
    let request =
      "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    Array(request.utf8).withUnsafeBytes { _ = loop.append(key, $0) }
  }

  func isUpgraded(_ key: ConnectionKey) -> Bool { owners[Int(key.slot)].isUpgraded }

  /// Reads the answer to the request, which changes the connection to WebSocket or refuses that.
  ///
  /// - Returns: Its size; `nil` while it is incomplete.
  func readResponse(_ key: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int? {
    guard let end = Array(bytes).firstRange(of: Self.responseEnd) else { return nil }
    owners[Int(key.slot)].isUpgraded = bytes.starts(with: Self.response)
    return end.upperBound
  }

  /// Returns the range of the message that begins at `position`, and the end of its frame; `nil` while it is incomplete.
  @inline(__always) func next(
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
