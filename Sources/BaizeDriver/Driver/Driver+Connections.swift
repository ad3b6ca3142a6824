package import BaizeTransport

extension Driver: OutgoingHandler {
  package func connected(_ connection: ConnectionKey) {
    guard let number = connections.number(of: connection) else { return }
    if connections.usesWebSocket { connections.requestUpgrade(connection) } else { opened(number) }
  }

  package func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    guard connections.usesWebSocket, !connections.isUpgraded(connection) else {
      return receiveFrames(connection, bytes, from: 0)
    }
    return upgrade(connection, bytes).map { receiveFrames(connection, bytes, from: $0) } ?? 0
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
