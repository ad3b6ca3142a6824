import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

// Delivers events to clients and executes the commands that they return.
extension ClientHost {
  /// Delivers an event to a client, executes its commands and schedules its next deadline.
  func deliver(_ event: HostEvent, to index: Int) {
    guard let client = entries[index]?.client else { return }
    var commands = spareCommands.popLast() ?? []
    let deadline = client.handle(event, at: now, into: &commands)
    // Why the session store could not be written: then nothing behind it may be sent.
    var failure: String?
    for command in commands {
      if failure != nil, case .send = command { continue }
      if case .persist(let session, let record, let saved) = command {
        failure = session.write(record, saved) ?? failure
      } else {
        execute(command, index)
      }
    }
    commands.removeAll(keepingCapacity: true)
    spareCommands.append(commands)
    schedule(index, deadline?.nanoseconds)
    if let failure { deliver(.storeFailed(failure), to: index) }
  }

  private func execute(_ command: HostCommand, _ index: Int) {
    switch command {
    case .connect:
      entries[index]?.route.begin()
      connect(index)
    case .persist: break
    case .send(let message): send(message, index)
    case .refreshToken: if let provider = entries[index]?.client.signedToken { request(provider, index) }
    case .disconnect:
      disconnect(index, afterFlush: true)
      _ = entries[index]?.route.advance()
    case .remove: remove(index)
    }
  }

  // MARK: Connecting

  private func connect(_ index: Int) {
    guard let provider = entries[index]?.client.signedToken else { return open(index) }
    entries[index]?.connectDeadline = loop.now + ClientLimits.connectSeconds * 1_000_000_000
    request(provider, index)
  }

  /// Asks for a token. Only the answer to a client's last request counts.
  private func request(_ provider: @escaping @Sendable () async throws -> String, _ index: Int) {
    signedTokens.request(of: index, from: provider) { [mailbox] in mailbox.send(.signedToken($0, $1)) }
  }

  /// Connects with a signed token, or presents it on the connection, unless the client has given up waiting for it.
  func receive(_ answer: Result<String, any Error>, to request: SignedTokens.Request) {
    guard let index = signedTokens.end(request) else { return }
    guard entries[index]?.connection == nil, entries[index]?.stream == nil else {
      // Without one the client asks again.
      if case .success(let token) = answer { send(.signedToken(token), index) }
      return
    }
    entries[index]?.connectDeadline = nil
    switch answer {
    case .success(let token):
      signedTokens.present(token, of: index)
      open(index)
    case .failure(let error): deliver(.closed(reason: "there is no signed token: \(error)"), to: index)
    }
  }

  /// Handles the end of a connection, or of an attempt to connect. After an attempt the client's next endpoint is tried at once, if there
  /// is one.
  func connectionEnded(_ reason: String, of index: Int, wasConnecting: Bool) {
    let hasMore = entries[index]?.route.advance() ?? false
    guard wasConnecting, hasMore else { return deliver(.closed(reason: reason), to: index) }
    connect(index)
  }

  private func open(_ index: Int) {
    guard let endpoint = entries[index]?.route.endpoint else {
      return deliver(.closed(reason: "there is no endpoint"), to: index)
    }
    do {
      switch endpoint {
      // A route has no such endpoint.
      case .anyOf: break
      case .tcp(let address): own(try loop.connect(to: address), index)
      case .tls(let address, let context): own(try loop.connect(to: address, securedBy: context), index)
      case .stream(let make): open(try make(), index)
      }
      entries[index]?.connectDeadline = loop.now + ClientLimits.connectSeconds * 1_000_000_000
    } catch {
      connectionEnded("\(endpoint): \(error)", of: index, wasConnecting: true)
    }
  }

  private func own(_ connection: ConnectionKey, _ index: Int) {
    while owners.count <= Int(connection.slot) { owners.append(nil) }
    owners[Int(connection.slot)] = Owner(generation: connection.generation, index: index)
    entries[index]?.connection = connection
  }

  private func open(_ stream: any ByteStream, _ index: Int) {
    lastStream += 1
    let number = lastStream
    entries[index]?.stream = StreamLink(stream: stream, number: number)
    streamOwners[number] = index
    stream.open(ByteStreamListener { [mailbox] event in mailbox.send(.stream(number, event)) })
  }

  /// Ends an attempt to connect that has reached its deadline.
  func timeOutConnecting(_ index: Int) {
    guard let endpoint = entries[index]?.route.endpoint else { return }
    let waitsForToken = signedTokens.isWaiting(index)
    let what = waitsForToken ? "the app's function for signed tokens" : "\(endpoint)"
    disconnect(index, afterFlush: false)
    let reason = "\(what) did not answer within \(ClientLimits.connectSeconds) seconds"
    if waitsForToken {
      deliver(.closed(reason: reason), to: index)
    } else {
      connectionEnded(reason, of: index, wasConnecting: true)
    }
  }

  /// Closes a client's connection as if the network had failed.
  func dropConnection(_ index: Int) {
    guard index >= 0, entries[index]?.connection != nil || entries[index]?.stream != nil else { return }
    disconnect(index, afterFlush: false)
    deliver(.closed(reason: "the connection was dropped"), to: index)
  }

  // MARK: Sending

  private func send(_ message: ClientMessage, _ index: Int) {
    writer.frame(signedTokens.adding(to: message, of: index))
    writer.withUnsafeBytes { bytes in
      if let connection = entries[index]?.connection {
        loop.append(connection, bytes)
      } else if let isFirst = entries[index]?.stream?.unsent.isEmpty {
        if isFirst { unsentStreams.append(index) }
        entries[index]?.stream?.unsent.append(contentsOf: bytes)
      }
    }
    writer.removeAll()
  }

  func flushStreams() {
    for index in unsentStreams { flushStream(index) }
    unsentStreams.removeAll(keepingCapacity: true)
  }

  private func flushStream(_ index: Int) {
    guard let link = entries[index]?.stream, !link.unsent.isEmpty else { return }
    entries[index]?.stream?.unsent = []
    link.stream.send(link.unsent)
  }

  // MARK: Ending

  private func disconnect(_ index: Int, afterFlush: Bool) {
    signedTokens.cancel(index)
    entries[index]?.connectDeadline = nil
    if let connection = entries[index]?.connection {
      entries[index]?.connection = nil
      entries[index]?.closingCount += 1
      owners[Int(connection.slot)]?.isClosing = true
      loop.close(connection, afterFlush: afterFlush)
    }
    if let link = entries[index]?.stream {
      flushStream(index)
      streamOwners[link.number] = nil
      entries[index]?.stream = nil
      link.stream.close()
    }
  }

  private func remove(_ index: Int) {
    disconnect(index, afterFlush: false)
    entries[index]?.isRemoved = true
    freeIfClosed(index)
  }

  /// Frees the entry of a removed client once its connections are closed.
  func freeIfClosed(_ index: Int) {
    guard let entry = entries[index], entry.isRemoved, entry.closingCount == 0 else { return }
    var commands: [HostCommand] = []
    _ = entry.client.handle(.removed, at: now, into: &commands)
    indices[ObjectIdentifier(entry.client)] = nil
    entries[index] = nil
    freeIndices.append(index)
  }

  // MARK: Deadlines

  private func schedule(_ index: Int, _ deadline: UInt64?) {
    let due = min(deadline ?? .max, entries[index]?.connectDeadline ?? .max)
    // A later deadline is pushed when the earlier one in the heap fires: the client is then woken and asked again.
    guard let scheduled = entries[index]?.scheduled, due < scheduled else { return }
    entries[index]?.scheduled = due
    deadlines.push(due, index)
  }

  func runDeadlines() {
    while let entry = deadlines.popFirst(dueAt: loop.now) {
      guard let waiting = entries[entry.index], waiting.scheduled == entry.deadline else { continue }
      entries[entry.index]?.scheduled = .max
      if let connectDeadline = waiting.connectDeadline, connectDeadline <= loop.now {
        timeOutConnecting(entry.index)
      } else {
        deliver(.woken, to: entry.index)
      }
    }
  }

  func runWakeQueue() {
    // Clients woken meanwhile wait for the next turn, so that two clients that wake each other cannot block the loop.
    let indices = wakeQueue
    wakeQueue.removeAll(keepingCapacity: true)
    for index in indices {
      guard let isStarted = entries[index]?.isStarted else { continue }
      entries[index]?.isWakePending = false
      entries[index]?.isStarted = true
      deliver(isStarted ? .woken : .started, to: index)
    }
  }
}
