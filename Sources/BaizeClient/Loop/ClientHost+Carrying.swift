import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

// From what happens to what is done.
extension ClientHost {
  /// Tells a passenger what happened, and does what it asks for.
  func deliver(_ happening: Happening, to place: Int) {
    guard let passenger = carried[place]?.passenger else { return }
    var commands = spareCommands.popLast() ?? []
    let deadline = passenger.handle(happening, at: now, into: &commands)
    for command in commands { carryOut(command, place) }
    commands.removeAll(keepingCapacity: true)
    spareCommands.append(commands)
    schedule(place, deadline?.nanoseconds)
  }

  private func carryOut(_ command: WireCommand, _ place: Int) {
    switch command {
    case .connect: connect(place)
    case .send(let message): send(message, place)
    case .disconnect: disconnect(place, afterFlush: true)
    case .retire: retire(place)
    }
  }

  // MARK: Connecting

  private func connect(_ place: Int) {
    guard let endpoint = carried[place]?.endpoint else { return }
    do {
      switch endpoint {
      case .tcp(let address):
        let connection = try loop.connect(to: address)
        while owners.count <= Int(connection.slot) { owners.append(nil) }
        owners[Int(connection.slot)] = Owner(generation: connection.generation, place: place)
        carried[place]?.connection = connection
      case .stream(let make): open(try make(), place)
      }
      carried[place]?.connectDeadline = loop.now + ClientLimits.connectSeconds * 1_000_000_000
    } catch {
      deliver(.closed(why: "\(endpoint): \(error)"), to: place)
    }
  }

  private func open(_ stream: any ByteStream, _ place: Int) {
    lastStream += 1
    let number = lastStream
    carried[place]?.stream = StreamLink(stream: stream, number: number)
    streamOwners[number] = place
    stream.open(ByteStreamListener { [mailbox] event in mailbox.send(.stream(number, event)) })
  }

  /// An attempt has taken too long.
  func giveUpConnecting(_ place: Int) {
    guard let endpoint = carried[place]?.endpoint else { return }
    disconnect(place, afterFlush: false)
    deliver(.closed(why: "\(endpoint) did not answer within \(ClientLimits.connectSeconds) seconds"), to: place)
  }

  /// Drops a connection as if the network had.
  func cut(_ place: Int) {
    guard place >= 0, carried[place]?.connection != nil || carried[place]?.stream != nil else { return }
    disconnect(place, afterFlush: false)
    deliver(.closed(why: "the connection was cut"), to: place)
  }

  // MARK: Sending

  private func send(_ message: ClientMessage, _ place: Int) {
    writer.frame(message)
    writer.withUnsafeBytes { bytes in
      if let connection = carried[place]?.connection {
        loop.append(connection, bytes)
      } else if let isFirst = carried[place]?.stream?.unsent.isEmpty {
        if isFirst { unsentStreams.append(place) }
        carried[place]?.stream?.unsent.append(contentsOf: bytes)
      }
    }
    writer.removeAll()
  }

  func flushStreams() {
    for place in unsentStreams { flushStream(place) }
    unsentStreams.removeAll(keepingCapacity: true)
  }

  private func flushStream(_ place: Int) {
    guard let link = carried[place]?.stream, !link.unsent.isEmpty else { return }
    carried[place]?.stream?.unsent = []
    link.stream.send(link.unsent)
  }

  // MARK: Ending

  private func disconnect(_ place: Int, afterFlush: Bool) {
    carried[place]?.connectDeadline = nil
    if let connection = carried[place]?.connection {
      carried[place]?.connection = nil
      carried[place]?.closingCount += 1
      owners[Int(connection.slot)]?.isClosing = true
      loop.close(connection, afterFlush: afterFlush)
    }
    if let link = carried[place]?.stream {
      flushStream(place)
      streamOwners[link.number] = nil
      carried[place]?.stream = nil
      link.stream.close()
    }
  }

  private func retire(_ place: Int) {
    disconnect(place, afterFlush: false)
    carried[place]?.isRetired = true
    freeIfGone(place)
  }

  /// Frees a place once the last word of its client is out.
  func freeIfGone(_ place: Int) {
    guard let entry = carried[place], entry.isRetired, entry.closingCount == 0 else { return }
    var commands: [WireCommand] = []
    _ = entry.passenger.handle(.retired, at: now, into: &commands)
    places[ObjectIdentifier(entry.passenger)] = nil
    carried[place] = nil
    freePlaces.append(place)
  }

  // MARK: Deadlines

  private func schedule(_ place: Int, _ deadline: UInt64?) {
    let due = min(deadline ?? .max, carried[place]?.connectDeadline ?? .max)
    // A later deadline waits until the earlier one in the heap has come, whose call finds nothing due and asks again.
    guard let scheduled = carried[place]?.scheduled, due < scheduled else { return }
    carried[place]?.scheduled = due
    deadlines.push(due, place)
  }

  func meetDeadlines() {
    while let entry = deadlines.popFirst(dueAt: loop.now) {
      guard let waiting = carried[entry.place], waiting.scheduled == entry.deadline else { continue }
      carried[entry.place]?.scheduled = .max
      if let connectDeadline = waiting.connectDeadline, connectDeadline <= loop.now {
        giveUpConnecting(entry.place)
      } else {
        deliver(.called, to: entry.place)
      }
    }
  }

  func answerCalls() {
    // Those who ask meanwhile wait for the next turn, which comes at once: two who answer each other hold up no one.
    let places = asked
    asked.removeAll(keepingCapacity: true)
    for place in places {
      guard let isStarted = carried[place]?.isStarted else { continue }
      carried[place]?.isAsked = false
      carried[place]?.isStarted = true
      deliver(isStarted ? .called : .started, to: place)
    }
  }
}
