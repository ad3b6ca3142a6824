extension EventLoop {
  /// Handles a report of the selector about a connection.
  func connectionIsReady(_ connection: ConnectionKey, _ readiness: Readiness, _ handler: some EventLoopHandler) {
    // A connection that has ended since the wait began is not found, even if its descriptor is in use again.
    guard let slot = connections.find(connection) else { return }
    if slot.pointee.phase == .connecting {
      finishConnect(connection, slot, handler)
      return
    }
    if readiness.contains(.write) {
      slot.pointee.flags.remove(.blocked)
      markDirty(connection, slot)
    }
    if slot.pointee.flags.contains(.paused) {
      failedWhilePaused(connection, slot, readiness)
    } else if !readiness.isDisjoint(with: [.read, .hangUp, .error]) {
      read(connection, slot, handler)
    }
  }

  /// Returns the number of bytes that have been read from a connection and not consumed, such as a part of a frame; 0 for one
  /// that has ended.
  public func unconsumedBytes(of connection: ConnectionKey) -> Int {
    connections.find(connection)?.pointee.leftover.count ?? 0
  }

  /// Presents a connection's leftover, unless reading is paused.
  func presentLeftover(of connection: ConnectionKey, to handler: some EventLoopHandler) {
    guard let slot = connections.find(connection), slot.pointee.phase == .open else { return }
    guard !slot.pointee.leftover.isEmpty, !slot.pointee.flags.contains(.paused) else { return }
    if let tls = slot.pointee.tls, !tls.isEstablished { return beginSecuring(connection, slot, tls, handler) }
    // Taken out of the slot: the handler may close the connection while it reads.
    var waiting = exchange(&slot.pointee.leftover, with: ByteQueue())
    let consumed = present(waiting.bytes, of: connection, to: handler)
    guard let slot = connections.find(connection), slot.pointee.phase == .open else {
      waiting.removeAll(pool)
      return
    }
    waiting.removeFirst(consumed, pool)
    waiting.shrink(pool)
    slot.pointee.leftover = waiting
    checkLeftover(connection, slot)
  }

  /// The position in the read buffer at which a read begins: behind the headroom for a leftover.
  @inline(__always)
  var readStart: UnsafeMutableRawPointer {
    readBuffer.baseAddress.unsafelyUnwrapped + TransportLimits.leftoverHeadroomBytes
  }

  @inline(__always) private func read(
    _ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>, _ handler: some EventLoopHandler
  ) {
    if let tls = slot.pointee.tls { return readRecords(connection, slot, tls, handler) }
    let room = UnsafeMutableRawBufferPointer(start: readStart, count: readBytes)
    do {
      switch try Socket.receive(from: slot.pointee.descriptor, into: room) {
      case .wouldBlock: return
      case .done(0): peerEnded(connection, slot)
      case .done(let count):
        if slot.pointee.phase == .open { received(count, connection, slot, handler) }
      }
    } catch {
      let reason = slot.pointee.phase == .lingering ? slot.pointee.closeReason : .failed(error)
      finish(connection, reason)
    }
  }

  /// Presents `count` new bytes, which are in the read buffer behind the headroom, together with the leftover.
  @inline(__always) func received(
    _ count: Int, _ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>,
    _ handler: some EventLoopHandler
  ) {
    let kept = slot.pointee.leftover.count
    if kept > TransportLimits.leftoverHeadroomBytes {
      slot.pointee.leftover.append(UnsafeRawBufferPointer(start: readStart, count: count), pool)
      presentLeftover(of: connection, to: handler)
      return
    }
    let start = readStart - kept
    if kept > 0 {
      start.copyMemory(from: slot.pointee.leftover.bytes.baseAddress.unsafelyUnwrapped, byteCount: kept)
      slot.pointee.leftover.removeAll(pool)
    }
    let bytes = UnsafeRawBufferPointer(start: start, count: kept + count)
    let consumed = present(bytes, of: connection, to: handler)
    if consumed == bytes.count { return }
    guard let slot = connections.find(connection), slot.pointee.phase == .open else { return }
    slot.pointee.leftover.append(UnsafeRawBufferPointer(rebasing: bytes[consumed...]), pool)
    checkLeftover(connection, slot)
  }

  @inline(__always) private func present(
    _ bytes: UnsafeRawBufferPointer, of connection: ConnectionKey, to handler: some EventLoopHandler
  ) -> Int {
    presented = (connection, bytes)
    let consumed = handler.received(connection, bytes)
    presented = nil
    precondition(consumed >= 0 && consumed <= bytes.count, "\(consumed) of \(bytes.count) bytes consumed")
    return consumed
  }

  /// Ends a connection whose leftover exceeds the limit. A paused one is exempt: no more bytes of it are read.
  private func checkLeftover(_ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>) {
    let bytes = slot.pointee.leftover.count
    if bytes > leftoverBytesMax, !slot.pointee.flags.contains(.paused) {
      finish(connection, .leftoverTooLong(bytes: bytes))
    }
  }

  /// Handles an error or a hang-up while reading is paused. A reset ends the connection. Before a hang-up there may be
  /// unread bytes: the connection is not watched until reading resumes, or the selector would report it again and
  /// again.
  private func failedWhilePaused(
    _ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>, _ readiness: Readiness
  ) {
    if readiness.contains(.error), let error = Socket.pendingError(slot.pointee.descriptor, call: "recv") {
      finish(connection, .failed(error))
    } else if readiness.contains(.hangUp) {
      unwatch(slot)
    }
  }

  private func finishConnect(
    _ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>, _ handler: some EventLoopHandler
  ) {
    if let error = Socket.pendingError(slot.pointee.descriptor, call: "connect") {
      failConnect(connection, error)
      return
    }
    slot.pointee.phase = .open
    updateInterest(connection, slot)
    if let tls = slot.pointee.tls { return resumeHandshake(connection, slot, tls) }
    if !slot.pointee.output.isEmpty || slot.pointee.flags.contains(.notifiesDrain) { markDirty(connection, slot) }
    handler.connected(connection)
  }
}
