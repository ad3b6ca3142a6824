import BaizeSystem

// The calls of a handler about a connection. The key of a connection that has ended is no error: `closed` may be pending.
extension EventLoop {
  // MARK: Adding

  /// Begins an outgoing connection. The handler receives `connected` or `connectFailed`. There is no timeout but the
  /// kernel's, which is minutes; a handler that wants a shorter one closes the connection.
  ///
  /// - Parameters:
  ///   - address: The address of the peer.
  ///   - context: With it the connection has TLS, and is established once the peer's certificate is verified. What is queued
  ///     before that waits for it; `closed` without `connected` says why it is not established.
  /// - Throws: `SystemError` when there are no descriptors left; `TLSFailure` when OpenSSL has no memory.
  public func connect(to address: SocketAddress, securedBy context: TLSContext? = nil) throws -> ConnectionKey {
    let descriptor = try Socket.open(family: address.family)
    let tls: TLSSession?
    do {
      try Socket.setNoDelay(descriptor)
      tls = try context.map { (context) throws(TLSFailure) in try TLSSession(context, descriptor) }
    } catch {
      SystemCall.closeDescriptor(descriptor)
      throw error
    }
    var failure: SystemError?
    do {
      // Whether it is established at once or in progress, the selector reports the outcome.
      _ = try SystemCall.attempt("connect") { address.withKernelForm { beginConnect(descriptor, $0, $1) } }
    } catch {
      failure = error
    }
    let connection = try register(descriptor, .connecting)
    if let tls {
      attach(tls, to: connection)
      connections.find(connection)?.pointee.flags.insert(.connects)
    }
    if let failure { failConnect(connection, failure) }
    return connection
  }

  /// Adopts a connection that another loop has detached. Its unconsumed bytes are presented in this turn, or in the
  /// next between turns, and its unsent bytes are sent first.
  ///
  /// - Throws: `SystemError`; the descriptor is closed then.
  public func adopt(_ detached: DetachedConnection) throws -> ConnectionKey {
    do {
      try Socket.prepare(detached.descriptor)
      try Socket.setNonBlocking(detached.descriptor)
    } catch {
      detached.close()
      throw error
    }
    let connection = try register(detached.descriptor, .open)
    if let tls = detached.tls?.take() { attach(tls, to: connection) }
    if let slot = connections.find(connection), !detached.leftover.isEmpty {
      detached.leftover.withUnsafeBytes { slot.pointee.leftover.append($0, pool) }
      notices.append(Notice(connection: connection, content: .present))
    }
    detached.unsent.withUnsafeBytes { _ = append(connection, $0) }
    return connection
  }

  // MARK: Removing

  /// Removes a connection from this loop, so that another one can adopt it. No bytes are lost, and the handler does not
  /// receive `closed`.
  ///
  /// - Parameter consumed: Within `received` for this connection, how many of the presented bytes were consumed; the
  ///   others are part of the result, and what `received` returns no longer matters. Elsewhere 0.
  /// - Returns: `nil` if the connection is closed, connecting or closing.
  public func detach(_ connection: ConnectionKey, consuming consumed: Int = 0) -> DetachedConnection? {
    guard let slot = connections.find(connection), slot.pointee.phase == .open else { return nil }
    let leftover: [UInt8]
    if let presented, presented.connection == connection {
      leftover = Array(presented.bytes[consumed...])
    } else {
      precondition(consumed == 0, "\(consumed) bytes consumed of \(connection), which is not being presented")
      leftover = Array(slot.pointee.leftover.bytes)
    }
    var detached = DetachedConnection(
      descriptor: slot.pointee.descriptor, leftover: leftover, unsent: slot.pointee.output.takeAll(pool))
    detached.tls = takeTLS(slot).map(TLSHandle.init)
    unwatch(slot)
    connections.retire(connection, pool)
    connections.recycle(connection.slot)
    return detached
  }

  // MARK: Receiving

  /// Stops reading from a connection until `resumeReading` (backpressure): the kernel's buffers fill, and the peer has
  /// to wait. A reset is still reported.
  public func pauseReading(_ connection: ConnectionKey) {
    guard let slot = connections.find(connection), slot.pointee.phase == .open else { return }
    slot.pointee.flags.insert(.paused)
    updateInterest(connection, slot)
  }

  /// Resumes reading. Unconsumed bytes are presented again without waiting for more.
  public func resumeReading(_ connection: ConnectionKey) {
    guard let slot = connections.find(connection), slot.pointee.flags.contains(.paused) else { return }
    slot.pointee.flags.remove(.paused)
    if !slot.pointee.leftover.isEmpty || presented?.connection == connection {
      notices.append(Notice(connection: connection, content: .present))
    }
    updateInterest(connection, slot)
  }
}

/// Calls `connect`, which the loop's own method of that name hides.
private func beginConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
  connect(descriptor, address, length)
}
