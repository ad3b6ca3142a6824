public import BaizeTransport
import BaizeWire

// What the loop and the mailbox say.
extension ClientHost: EventLoopHandler {
  public func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    guard let place = owner(of: connection) else { return bytes.count }
    return deliverFrames(in: bytes, to: place) { self.carried[place]?.connection == connection }
  }

  /// Delivers every whole frame, as long as its connection is the client's.
  ///
  /// - Returns: how many bytes were used.
  private func deliverFrames(
    in bytes: UnsafeRawBufferPointer, to place: Int, while isCurrent: () -> Bool
  ) -> Int {
    var position = 0
    do throws(DecodeError) {
      while isCurrent(), let range = try reader.next(in: bytes, from: position) {
        position = range.upperBound
        deliver(.frame(UnsafeRawBufferPointer(rebasing: bytes[range])), to: place)
      }
    } catch {
      deliver(.garbage(error), to: place)
      return bytes.count
    }
    return isCurrent() ? position : bytes.count
  }

  public func connected(_ connection: ConnectionKey) {
    guard let place = owner(of: connection) else { return }
    carried[place]?.connectDeadline = nil
    deliver(.connected, to: place)
  }

  public func connectFailed(_ connection: ConnectionKey, _ error: SystemError) {
    closed(connection, why: "\(error)")
  }

  public func closed(_ connection: ConnectionKey, _ reason: CloseReason) {
    closed(connection, why: "\(reason)")
  }

  private func closed(_ connection: ConnectionKey, why: String) {
    guard Int(connection.slot) < owners.count, let owner = owners[Int(connection.slot)],
      owner.generation == connection.generation
    else { return }
    owners[Int(connection.slot)] = nil
    let place = owner.place
    if owner.isClosing {
      carried[place]?.closingCount -= 1
      freeIfGone(place)
    } else {
      carried[place]?.connection = nil
      carried[place]?.connectDeadline = nil
      let endpoint = carried[place].map { "\($0.endpoint)" } ?? ""
      deliver(.closed(why: "\(endpoint): \(why)"), to: place)
    }
  }

  private func owner(of connection: ConnectionKey) -> Int? {
    guard Int(connection.slot) < owners.count, let owner = owners[Int(connection.slot)],
      owner.generation == connection.generation, !owner.isClosing
    else { return nil }
    return owner.place
  }

  public func woken() {
    mailbox.drain(into: &messages)
    for message in messages { receive(message) }
    messages.removeAll(keepingCapacity: true)
  }

  private func receive(_ message: HostMessage) {
    switch message {
    case .add(let client, let endpoint):
      let place = carry(client, to: endpoint)
      places[ObjectIdentifier(client)] = place
      if isStopping { deliver(.dismissed, to: place) } else { attend(place) }
    case .attend(let client):
      if let place = places[ObjectIdentifier(client)] { attend(place) }
    case .stream(let number, let event): receive(event, on: number)
    case .run(let body): body(self)
    case .stop: leaveAll()
    }
  }

  // MARK: Streams

  private func receive(_ event: StreamEvent, on number: UInt64) {
    guard let place = streamOwners[number] else { return }
    switch event {
    case .opened:
      guard carried[place]?.stream?.isOpen == false else { return }
      carried[place]?.stream?.isOpen = true
      carried[place]?.connectDeadline = nil
      carried[place]?.stream?.stream.receive()
      deliver(.connected, to: place)
    case .received(let bytes): receive(bytes, on: number, place)
    case .closed(let why):
      streamOwners[number] = nil
      carried[place]?.stream = nil
      carried[place]?.connectDeadline = nil
      deliver(.closed(why: why), to: place)
    }
  }

  private func receive(_ bytes: [UInt8], on number: UInt64, _ place: Int) {
    var whole = carried[place]?.stream?.leftover ?? []
    carried[place]?.stream?.leftover = []
    whole.append(contentsOf: bytes)
    let used = whole.withUnsafeBytes { bytes in
      deliverFrames(in: bytes, to: place) { self.carried[place]?.stream?.number == number }
    }
    guard carried[place]?.stream?.number == number else { return }
    carried[place]?.stream?.leftover = Array(whole[used...])
    carried[place]?.stream?.stream.receive()
  }

  // MARK: Turns

  public func turnEnded(now: UInt64) {
    meetDeadlines()
    answerCalls()
    flushStreams()
    if isStopping, clientCount == 0 { loop.stop() }
  }

  public var nextDeadline: UInt64? { asked.isEmpty ? deadlines.first : loop.now }

  // A client listens to nobody, and bounds what it sends by what it may have unanswered.
  public func accepted(_ connection: ConnectionKey, from peer: SocketAddress, on listener: ListenerKey) {}
  public func drained(_ connection: ConnectionKey, pendingBytes: Int) {}
  public func acceptPaused(_ listener: ListenerKey, _ error: SystemError) {}
}
