import BaizeTransport

/// A slow network between a client and the daemon, on a thread of its own: it passes on what it receives after a delay.
///
/// On the loopback interface an answer takes a tenth of a millisecond. With it, one sees what a move looks like until then.
final class DelayedLink: EventLoopHandler {
  private let loop: EventLoop
  private let daemon: SocketAddress
  private let delayNanoseconds: UInt64
  /// The other end of each connection.
  private var peers: [ConnectionKey: ConnectionKey] = [:]
  /// In the order of their times, since all are delayed alike.
  private var queue: [(due: UInt64, connection: ConnectionKey, bytes: [UInt8])] = []

  private init(to daemon: SocketAddress, delayNanoseconds: UInt64) throws {
    loop = try EventLoop(waker: try Waker())
    self.daemon = daemon
    self.delayNanoseconds = delayNanoseconds
  }

  /// Starts a link, which lasts until the program ends.
  ///
  /// - Returns: The address for clients.
  /// - Throws: `SystemError` when there are no descriptors left.
  static func start(to daemon: SocketAddress, delayNanoseconds: UInt64) async throws -> SocketAddress {
    let address = Promise<Result<SocketAddress, any Error>>()
    _ = try LoopThread(name: "link") {
      do {
        let link = try DelayedLink(to: daemon, delayNanoseconds: delayNanoseconds)
        let listener = try link.loop.listen(on: .loopback(port: 0))
        address.resolve(.success(link.loop.address(of: listener) ?? daemon))
        try link.loop.run(link)
      } catch {
        address.resolve(.failure(error))
      }
    }
    return try await address.valueDespiteCancellation().get()
  }

  func accepted(_ connection: ConnectionKey, from peer: SocketAddress, on listener: ListenerKey) {
    do {
      let other = try loop.connect(to: daemon)
      (peers[connection], peers[other]) = (other, connection)
    } catch {
      loop.close(connection)
    }
  }

  func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    guard let peer = peers[connection] else { return bytes.count }
    queue.append((MonotonicClock.now() + delayNanoseconds, peer, Array(bytes)))
    return bytes.count
  }

  func turnEnded(now: UInt64) {
    let due = queue.prefix { $0.due <= now }
    for entry in due where peers[entry.connection] != nil {
      entry.bytes.withUnsafeBytes { bytes in _ = loop.append(entry.connection, bytes) }
    }
    queue.removeFirst(due.count)
  }

  var nextDeadline: UInt64? { queue.first?.due }

  func closed(_ connection: ConnectionKey, _ reason: CloseReason) { end(connection) }
  func connectFailed(_ connection: ConnectionKey, _ error: SystemError) { end(connection) }

  private func end(_ connection: ConnectionKey) {
    guard let peer = peers.removeValue(forKey: connection) else { return }
    peers[peer] = nil
    loop.close(peer, afterFlush: true)
  }

  func connected(_ connection: ConnectionKey) {}
  func drained(_ connection: ConnectionKey, pendingBytes: Int) {}
  func woken() {}
  func acceptPaused(_ listener: ListenerKey, _ error: SystemError) {}
}
