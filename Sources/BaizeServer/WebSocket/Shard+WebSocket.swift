import BaizeHTTP
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// Receiving frames of WebSocket. The messages in them are then handled like those of other connections.
extension Shard {
  /// Receives the complete frames among a connection's bytes, in order, as many as the turn's budget allows.
  ///
  /// - Parameter hasJoined: Whether the first message has decided the shard.
  /// - Returns: The number of consumed bytes; the loop presents the others again.
  func receiveFrames(_ bytes: UnsafeRawBufferPointer, from key: ConnectionKey, hasJoined: Bool) -> Int {
    let frames = WebSocketFrameReader(
      isServer: true, payloadBytesMax: (hasJoined ? reader : handshakes.reader).frameBytesMax)
    var (position, hasJoined) = (0, hasJoined)
    do throws(WebSocketViolation) {
      while let frame = try frames.next(in: bytes, from: position) {
        switch frame.opcode {
        case .ping, .pong, .close:
          guard admits(frame, at: position, from: key) else { return position }
          guard try receiveControl(frame, of: bytes, from: key) else { return bytes.count }
          position = frame.payload.upperBound
        case .text: throw .text
        case .binary, .continuation:
          guard try receive(frame, at: &position, of: bytes, frames, from: key, &hasJoined) else { return position }
        }
      }
      return position
    } catch {
      violated(error, key)
      return bytes.count
    }
  }

  /// Receives a frame of a message, and the messages behind it that are complete.
  ///
  /// - Returns: Whether the connection's next frame is received in this turn.
  private func receive(
    _ frame: WebSocketFrame, at position: inout Int, of bytes: UnsafeRawBufferPointer, _ frames: WebSocketFrameReader,
    from key: ConnectionKey, _ hasJoined: inout Bool
  ) throws(WebSocketViolation) -> Bool {
    let isFragmented = webSockets.isWithinMessage(key)
    if isFragmented != (frame.opcode == .continuation) { throw isFragmented ? .interrupted : .nothingToContinue }
    guard frame.isFinal else {
      guard admits(frame, at: position, from: key) else { return false }
      try webSockets.append(frame, of: bytes, from: key, bytesMax: frames.payloadBytesMax)
      position = frame.payload.upperBound
      return true
    }
    guard !machine.defers(frameOf: webSockets.fragmentBytes(of: key) + frame.payload.count, from: key.id) else {
      pause(key, wasServed: position > 0)
      return false
    }
    webSockets.messages.removeAll()
    var end = frame.payload.upperBound
    if isFragmented {
      try webSockets.complete(frame, of: bytes, from: key, bytesMax: frames.payloadBytesMax)
    } else {
      end = gather(frame, bytes, frames, onlyOne: !hasJoined)
    }
    if !hasJoined {
      guard joins(key, position, of: bytes, wasFragmented: isFragmented) else { return false }
      hasJoined = true
    }
    let (messages, isPaused) = receiveGathered(from: key, wasServed: position > 0)
    if messages > 0, isFragmented { webSockets.removeFragments(of: key) }
    if messages == webSockets.messages.messages {
      position = end
    } else {
      for _ in 0..<messages {
        guard let frame = try frames.next(in: bytes, from: position) else { break }
        position = frame.payload.upperBound
      }
    }
    return !isPaused
  }

  /// Takes the work of a frame that passes no message to the machine from the turn's budget. If it exceeds the budget, the
  /// connection waits for the next turn.
  ///
  /// - Parameter position: The number of bytes before the frame, which were received now.
  private func admits(_ frame: WebSocketFrame, at position: Int, from key: ConnectionKey) -> Bool {
    schedule.hasEvents = true
    if machine.admits(hostWork: HTTPLimits.frameWork, bytes: frame.payload.count, for: key.id) { return true }
    pause(key, wasServed: position > 0)
    return false
  }

  /// Collects a message and those in the frames behind it, which are complete, into the buffer for the machine.
  ///
  /// - Returns: The position behind the last of these frames.
  private func gather(
    _ first: WebSocketFrame, _ bytes: UnsafeRawBufferPointer, _ frames: WebSocketFrameReader, onlyOne: Bool
  ) -> Int {
    webSockets.messages.append(first, of: bytes)
    var position = first.payload.upperBound
    // A frame that is none ends the connection when it is its turn.
    while !onlyOne, webSockets.messages.count < HTTPLimits.unmaskedBytesMax,
      webSockets.messages.messages < HTTPLimits.unmaskedFramesMax,
      let frame = try? frames.next(in: bytes, from: position), frame.opcode == .binary, frame.isFinal
    {
      webSockets.messages.append(frame, of: bytes)
      position = frame.payload.upperBound
    }
    return position
  }

  /// Passes the collected messages to the machine.
  ///
  /// - Parameter wasServed: Whether frames before these were received now.
  /// - Returns: The number of messages that it has received, and whether the connection waits for another turn.
  private func receiveGathered(from key: ConnectionKey, wasServed: Bool) -> (messages: Int, isPaused: Bool) {
    let received = machine.receive(webSockets.messages.bytes, reader, on: key.id, at: now)
    schedule.hasEvents = true
    statistics.figures.framesReceived += received.frames
    statistics.figures.bytesReceived += received.bytes
    let isAll = received.bytes == webSockets.messages.count
    let isPaused = received.isWaiting || received.isDeferred || journal.isCongested(holding: machine.heldBytes)
    if received.isWaiting {
      loop.pauseReading(key)
    } else if isPaused {
      pause(key, wasServed: wasServed || received.bytes > 0)
    }
    return (isAll ? webSockets.messages.messages : received.frames, isPaused)
  }

  // MARK: The first message

  /// Handles the first message, which is in the buffer: the connection stays, waits, or goes to the shard of its table.
  ///
  /// - Parameters:
  ///   - start: The position of the message's last frame.
  ///   - wasFragmented: Whether there were frames of it before that one.
  /// - Returns: Whether the machine receives it now.
  private func joins(
    _ key: ConnectionKey, _ start: Int, of bytes: UnsafeRawBufferPointer, wasFragmented: Bool
  ) -> Bool {
    guard handshakes.begin(key) else {
      loop.pauseReading(key)
      return false
    }
    switch FirstFrame(webSockets.messages.bytes, handshakes.reader, shard: endpoint.index, of: endpoints.count) {
    case .elsewhere(let shard, let table):
      log(.debug, "\(key) goes to shard \(shard), table \(table.quotedForLog)")
      guard var detached = loop.detach(key, consuming: start) else { return false }
      if wasFragmented { detached = wholeAgain(detached) }
      webSockets.closed(key)
      handOver(key, to: shard, detached, .webSocket)
      return false
    case .here, .incomplete, .malformed:
      connections[Int(key.slot)].standing = .webSocket(.joined)
      return true
    }
  }

  /// Returns a connection whose bytes begin with the message in the buffer, in place of its last frame.
  private func wholeAgain(_ detached: DetachedConnection) -> DetachedConnection {
    let frames = WebSocketFrameReader(isServer: true, payloadBytesMax: .max)
    let end = detached.leftover.withUnsafeBytes { try? frames.next(in: $0)?.payload.upperBound } ?? 0
    let stream = webSockets.messages.bytes
    let message = (try? handshakes.reader.next(in: stream)) ?? 0..<0
    var whole = detached
    whole.leftover = WebSocketFrame.bytes(.binary, Array(stream[message]), mask: 0) + detached.leftover[end...]
    return whole
  }

  // MARK: Control frames

  /// Handles a control frame.
  ///
  /// - Returns: Whether the connection goes on.
  private func receiveControl(
    _ frame: WebSocketFrame, of bytes: UnsafeRawBufferPointer, from key: ConnectionKey
  ) throws(WebSocketViolation) -> Bool {
    switch frame.opcode {
    case .ping:
      // A peer that does not read its pongs gets no more of them.
      if loop.pendingBytes(key) <= ServerLimits.backlogWatchBytes {
        WebSocketFrame.bytes(.pong, frame.unmasked(bytes)).withUnsafeBytes { _ = loop.append(key, $0) }
      }
      return true
    case .close:
      let code = try WebSocketFrame.closeCode(frame.unmasked(bytes))
      WebSocketFrame.close(code).withUnsafeBytes { _ = loop.append(key, $0) }
      leave(key)
      return false
    case .pong, .continuation, .text, .binary: return true
    }
  }

  /// Closes a connection that its peer has closed.
  private func leave(_ key: ConnectionKey) {
    connections[Int(key.slot)].standing = .left
    webSockets.closed(key)
    machine.closed(key.id, at: now)
    schedule.hasEvents = true
    loop.close(key, afterFlush: true)
  }

  /// Ends a connection because of its frames, with a goodbye.
  private func violated(_ violation: WebSocketViolation, _ key: ConnectionKey) {
    connections[Int(key.slot)].standing = .webSocket(.violated)
    webSockets.setCloseCode(of: key, violation.closeCode)
    let reason: GoodbyeReason = violation == .tooLarge ? .frameTooLarge : .malformed
    machine.dismiss(key.id, Goodbye(reason, detail: violation.rawValue), at: now)
    schedule.hasEvents = true
  }

  // MARK: Sending

  /// Lends everyone the bytes of their runs, with the headers that their connections need.
  func lend(_ runs: [FrameBatch.Delivery], _ bytes: UnsafeRawBufferPointer, isCrowd: Bool) {
    for run in runs {
      let key = run.connection.key
      let range = Int(run.start)..<Int(run.end)
      var frames = UnsafeRawBufferPointer(rebasing: bytes[range])
      if case .webSocket = connections[Int(key.slot)].standing { frames = webSockets.runs.convert(range, of: bytes) }
      let audience = isCrowd ? machine.audience(of: run.connection) : 0
      let queued = loop.lend(key, frames, audience: audience)
      if queued > ServerLimits.backlogWatchBytes { watch(key) }
    }
  }

  /// Appends the close frame behind a goodbye.
  func appendClose(_ reason: GoodbyeReason, to key: ConnectionKey) {
    let code = webSockets.closeCode(of: key) ?? reason.closeCode
    WebSocketFrame.close(code, reason.rawValue).withUnsafeBytes { _ = loop.append(key, $0) }
  }
}

extension GoodbyeReason {
  /// The code with which a WebSocket ends behind the goodbye.
  var closeCode: WebSocketCloseCode {
    switch self {
    case .leaving: .normal
    case .malformed: .invalidData
    case .frameTooLarge: .messageTooBig
    case .shutdown, .migrated: .serviceRestart
    case .storage, .tableFull, .tableSize, .tooManyTables, .tooManyConnections: .tryAgainLater
    case _: .policyViolation
    }
  }
}
