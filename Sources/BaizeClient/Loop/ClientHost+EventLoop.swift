public import BaizeTransport
import BaizeWire

// Receives from the event loop, the mailbox and the streams.
extension ClientHost: EventLoopHandler {
  public func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    guard let index = owner(of: connection) else { return bytes.count }
    return deliverFrames(in: bytes, to: index) { self.entries[index]?.connection == connection }
  }

  /// Delivers every complete frame for as long as the client keeps this connection.
  ///
  /// - Returns: The number of bytes consumed.
  private func deliverFrames(
    in bytes: UnsafeRawBufferPointer, to index: Int, while isCurrent: () -> Bool
  ) -> Int {
    if let other = ForeignProtocol(ofServer: bytes) {
      deliver(.invalidFrame(other == .http ? .answeredInHTTP : .answeredInTLS), to: index)
      return bytes.count
    }
    var position = 0
    do throws(DecodeError) {
      while isCurrent(), let range = try reader.next(in: bytes, from: position) {
        position = range.upperBound
        deliver(.frame(UnsafeRawBufferPointer(rebasing: bytes[range])), to: index)
      }
    } catch {
      deliver(.invalidFrame(error), to: index)
      return bytes.count
    }
    return isCurrent() ? position : bytes.count
  }

  public func connected(_ connection: ConnectionKey) {
    guard let index = owner(of: connection) else { return }
    entries[index]?.connectDeadline = nil
    deliver(.connected, to: index)
  }

  public func connectFailed(_ connection: ConnectionKey, _ error: SystemError) {
    closed(connection, reason: "\(error)")
  }

  public func closed(_ connection: ConnectionKey, _ reason: CloseReason) {
    closed(connection, reason: "\(reason)")
  }

  private func closed(_ connection: ConnectionKey, reason: String) {
    guard Int(connection.slot) < owners.count, let owner = owners[Int(connection.slot)],
      owner.generation == connection.generation
    else { return }
    owners[Int(connection.slot)] = nil
    let index = owner.index
    if owner.isClosing {
      entries[index]?.closingCount -= 1
      freeIfClosed(index)
    } else {
      signedTokens.cancel(index)
      let wasConnecting = entries[index]?.connectDeadline != nil
      entries[index]?.connection = nil
      entries[index]?.connectDeadline = nil
      let endpoint = entries[index]?.route.endpoint.map { "\($0): " } ?? ""
      connectionEnded("\(endpoint)\(reason)", of: index, wasConnecting: wasConnecting)
    }
  }

  private func owner(of connection: ConnectionKey) -> Int? {
    guard Int(connection.slot) < owners.count, let owner = owners[Int(connection.slot)],
      owner.generation == connection.generation, !owner.isClosing
    else { return nil }
    return owner.index
  }

  public func woken() {
    mailbox.drain(into: &messages)
    for message in messages { receive(message) }
    messages.removeAll(keepingCapacity: true)
  }

  private func receive(_ message: HostMessage) {
    switch message {
    case .add(let client, let endpoint):
      let index = add(client, to: endpoint)
      indices[ObjectIdentifier(client)] = index
      if isStopping { deliver(.hostStopping, to: index) } else { wake(index) }
    case .wake(let client):
      if let index = indices[ObjectIdentifier(client)] { wake(index) }
    case .stream(let number, let event): receive(event, on: number)
    case .signedToken(let request, let answer): receive(answer, to: request)
    case .run(let body): body(self)
    case .stop: leaveAll()
    }
  }

  // MARK: Streams

  private func receive(_ event: StreamEvent, on number: UInt64) {
    guard let index = streamOwners[number] else { return }
    switch event {
    case .opened:
      guard entries[index]?.stream?.isOpen == false else { return }
      entries[index]?.stream?.isOpen = true
      entries[index]?.connectDeadline = nil
      entries[index]?.stream?.stream.receive()
      deliver(.connected, to: index)
    case .received(let bytes): receive(bytes, on: number, index)
    case .closed(let reason):
      signedTokens.cancel(index)
      streamOwners[number] = nil
      let wasConnecting = entries[index]?.connectDeadline != nil
      entries[index]?.stream = nil
      entries[index]?.connectDeadline = nil
      connectionEnded(reason, of: index, wasConnecting: wasConnecting)
    }
  }

  private func receive(_ piece: [UInt8], on number: UInt64, _ index: Int) {
    var bytes = entries[index]?.stream?.unread ?? []
    entries[index]?.stream?.unread = []
    bytes.append(contentsOf: piece)
    let used = bytes.withUnsafeBytes { bytes in
      deliverFrames(in: bytes, to: index) { self.entries[index]?.stream?.number == number }
    }
    guard entries[index]?.stream?.number == number else { return }
    entries[index]?.stream?.unread = Array(bytes[used...])
    entries[index]?.stream?.stream.receive()
  }

  // MARK: Turns

  public func turnEnded(now: UInt64) {
    runDeadlines()
    runWakeQueue()
    flushStreams()
    if isStopping, clientCount == 0 { loop.stop() }
  }

  public var nextDeadline: UInt64? { wakeQueue.isEmpty ? deadlines.first : loop.now }

  // A client has no listener, and its limit on pending operations bounds its outbox.
  public func accepted(_ connection: ConnectionKey, from peer: SocketAddress, on listener: ListenerKey) {}
  public func drained(_ connection: ConnectionKey, pendingBytes: Int) {}
  public func acceptPaused(_ listener: ListenerKey, _ error: SystemError) {}
}
