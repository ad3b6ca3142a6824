import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// A connection that only requests the hash of the daemon's state. It keeps no copy, so that the hash comes from the
/// daemon alone.
///
/// It joins as a spectator. (A table type with different views would need a probe for each seat.)
final class DemoProbe: OutgoingHandler {
  private let loop: EventLoop
  private let table: String
  private var connection: ConnectionKey?
  private let reader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)
  private var writer = FrameWriter()
  private var isLive = false
  private var nonce: UInt64 = 0
  private var answers: [Pong] = []

  /// - Throws: `SystemError` when there are no descriptors left.
  init(_ table: String, at address: SocketAddress) throws {
    self.table = table
    loop = try EventLoop(waker: try Waker(), leftoverBytesMax: WireLimits.serverFrameBytesMax + 16)
    connection = try loop.connect(to: address)
  }

  /// Requests the hash, once it has joined the table.
  func ask() {
    guard isLive else { return }
    nonce += 1
    send(.ping(Ping(nonce: nonce, wantsHash: true)))
  }

  /// Returns the answers since the last call, without waiting.
  func takeAnswers() throws -> [Pong] {
    try loop.turn(self, timeout: 0)
    defer { answers = [] }
    return answers
  }

  private func send(_ message: ClientMessage) {
    guard let connection else { return }
    writer.removeAll()
    writer.frame(message)
    _ = writer.withUnsafeBytes { loop.append(connection, $0) }
  }

  // MARK: The loop

  func connected(_ connection: ConnectionKey) {
    send(.hello(Hello(table: table, name: "probe", role: .spectator)))
  }

  func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    var position = 0
    do throws(DecodeError) {
      while let range = try reader.next(in: bytes, from: position) {
        receive(try ServerMessage(decoding: UnsafeRawBufferPointer(rebasing: bytes[range])))
        position = range.upperBound
      }
    } catch {
      loop.close(connection)
      return bytes.count
    }
    return position
  }

  private func receive(_ message: ServerMessage) {
    switch message {
    case .snapshot(let part): if part.isComplete { isLive = true }
    case .pong(let pong): answers.append(pong)
    case .welcome, .diff, .outcome, .drag, .seats, .goodbye, .unknown: break
    }
  }

  func connectFailed(_ connection: ConnectionKey, _ error: SystemError) { self.connection = nil }

  func closed(_ connection: ConnectionKey, _ reason: CloseReason) {
    self.connection = nil
    isLive = false
  }
}
