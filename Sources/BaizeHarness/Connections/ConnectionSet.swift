import BaizeTable
package import BaizeTransport
package import BaizeWire

/// The connections of one handler on one loop: the owner of each, by a number that the handler chooses, and the buffers to
/// read and write frames with.
package final class ConnectionSet {
  package let loop: EventLoop
  package let reader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)
  private var writer = FrameWriter()
  /// By the transport's slot.
  @usableFromInline var owners: [(generation: UInt32, number: Int)] = []

  package init() throws {
    loop = try EventLoop(waker: try Waker(), leftoverBytesMax: WireLimits.serverFrameBytesMax + 16)
  }

  /// Begins to connect.
  ///
  /// - Parameter number: The handler's number for the connection.
  package func connect(to address: SocketAddress, as number: Int) throws -> ConnectionKey {
    let key = try loop.connect(to: address)
    while owners.count <= Int(key.slot) { owners.append((0, -1)) }
    owners[Int(key.slot)] = (key.generation, number)
    return key
  }

  /// The number of a connection; `nil` once its owner has closed it.
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
    _ = writer.withUnsafeBytes { loop.append(key, $0) }
  }
}

/// A handler of a ``ConnectionSet``, called with whole frames and its own numbers.
package protocol FrameHandler: OutgoingHandler {
  var connections: ConnectionSet { get }

  func opened(_ number: Int)

  /// - Throws: An error, which ends the connection with a call of `ended`.
  func receive(_ frame: UnsafeRawBufferPointer, _ number: Int) throws(DecodeError)

  /// Handles the end of a connection: it failed, was closed by the other side, or carried invalid bytes.
  func ended(_ number: Int, _ reason: String)
}

extension FrameHandler {
  package func connected(_ connection: ConnectionKey) {
    if let number = connections.number(of: connection) { opened(number) }
  }

  package func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    var position = 0
    // A frame may lead to the end of its connection.
    while let number = connections.number(of: connection) {
      do throws(DecodeError) {
        guard let range = try connections.reader.next(in: bytes, from: position) else { return position }
        position = range.upperBound
        try receive(UnsafeRawBufferPointer(rebasing: bytes[range]), number)
      } catch {
        connections.drop(connection)
        ended(number, "unreadable: \(error)")
      }
    }
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
    seconds: Double, for what: @autoclosure () -> String, until isDone: () throws -> Bool
  ) throws -> UInt64 {
    try waitUntil(
      seconds: seconds, for: what(), step: { try connections.loop.turn(self, timeout: 5_000_000) }, isDone)
  }
}
