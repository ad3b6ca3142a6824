import BaizeTable
import BaizeTransport
import BaizeWire

/// Joins a table as a spectator who was never there, and reads it: what counts in the end is what the daemon has.
final class TableReader: OutgoingHandler {
  struct Table {
    var items: [MarkedItem] = []
    var revision = Revision.zero
  }

  private let loop: EventLoop
  private let name: String
  private let reader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)
  private var table = Table()
  private var isComplete = false
  private var failure: String?

  private init(_ name: String) throws {
    self.name = name
    loop = try EventLoop(waker: try Waker(), leftoverBytesMax: WireLimits.serverFrameBytesMax + 16)
  }

  /// - Throws: When the table does not come within the time.
  static func read(_ name: String, at address: SocketAddress, seconds: Double) throws -> Table {
    let reader = try TableReader(name)
    _ = try reader.loop.connect(to: address)
    let end = MonotonicClock.now() + UInt64(seconds * 1e9)
    while !reader.isComplete {
      if let failure = reader.failure { throw LoadSession.Failure(description: "table \(name): \(failure)") }
      guard MonotonicClock.now() < end else {
        throw LoadSession.Failure(description: "table \(name) did not come within \(seconds) s")
      }
      try reader.loop.turn(reader, timeout: 100_000_000)
    }
    return reader.table
  }

  func connected(_ connection: ConnectionKey) {
    send(.hello(Hello(table: name, name: "reader", role: .spectator)), connection)
  }

  func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    var position = 0
    do throws(DecodeError) {
      while let range = try reader.next(in: bytes, from: position) {
        position = range.upperBound
        receive(try ServerMessage(decoding: UnsafeRawBufferPointer(rebasing: bytes[range])), connection)
      }
    } catch {
      failure = "what came is no frame: \(error)"
    }
    return position
  }

  private func receive(_ message: ServerMessage, _ connection: ConnectionKey) {
    switch message {
    case .snapshot(let part):
      for item in part.items {
        guard let mark = Mark(item.face.attributes) else { continue }
        table.items.append(MarkedItem(mark: mark, value: Mark.value(in: item.face.attributes)))
      }
      if part.isComplete { send(.ping(Ping(nonce: 1)), connection) }
    case .pong(let pong):
      table.revision = pong.revision
      isComplete = true
    case .goodbye(let goodbye): failure = "\(goodbye.reason.rawValue) \(goodbye.detail)"
    case .welcome, .diff, .outcome, .drag, .seats, .unknown: break
    }
  }

  private func send(_ message: ClientMessage, _ connection: ConnectionKey) {
    message.framed().withUnsafeBytes { _ = loop.append(connection, $0) }
  }

  func closed(_ connection: ConnectionKey, _ reason: CloseReason) { failure = failure ?? "\(reason)" }
  func connectFailed(_ connection: ConnectionKey, _ error: SystemError) { failure = "\(error)" }
}
