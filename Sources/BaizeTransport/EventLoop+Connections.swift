#if canImport(Darwin)
  import Darwin
#else
  import CLinux
  import Glibc
#endif

// What a handler may ask of a connection. A key whose connection has gone is no error: the news may still be under way.
extension EventLoop {
  // MARK: Coming

  /// Begins an outgoing connection; `connected` or `connectFailed` will be heard. There is no time limit but the
  /// kernel's, which is minutes: a handler with less patience closes it.
  ///
  /// - Throws: `SystemError` when there are no descriptors left.
  public func connect(to address: SocketAddress) throws -> ConnectionKey {
    let descriptor = try Socket.open(family: address.family)
    do {
      try Socket.setNoDelay(descriptor)
    } catch {
      SystemCall.closeDescriptor(descriptor)
      throw error
    }
    var failure: SystemError?
    do {
      // Done at once or under way, it is the same: the selector reports the outcome.
      _ = try SystemCall.attempt("connect") { address.withKernelForm { beginConnect(descriptor, $0, $1) } }
    } catch {
      failure = error
    }
    let connection = try register(descriptor, .connecting)
    if let failure { failConnect(connection, failure) }
    return connection
  }

  /// Takes over a connection that another loop has let go of. What it had left unconsumed is presented in this turn, or
  /// in the next if none is under way, and what it had not sent goes out first.
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
    if let slot = connections.find(connection), !detached.leftover.isEmpty {
      detached.leftover.withUnsafeBytes { slot.pointee.leftover.append($0, pool) }
      notices.append(Notice(connection: connection, content: .present))
    }
    detached.unsent.withUnsafeBytes { _ = append(connection, $0) }
    return connection
  }

  // MARK: Going

  /// Lets go of a connection, so that another loop can adopt it. Nothing is lost, and `closed` is not heard.
  ///
  /// - Parameter consumed: within `received` for this connection, how many of the presented bytes were consumed; the
  ///   rest goes along, and what `received` returns no longer matters. Elsewhere 0.
  /// - Returns: `nil` if the connection has gone, is connecting or is closing.
  public func detach(_ connection: ConnectionKey, consuming consumed: Int = 0) -> DetachedConnection? {
    guard let slot = connections.find(connection), slot.pointee.phase == .open else { return nil }
    let leftover: [UInt8]
    if let presented, presented.connection == connection {
      leftover = Array(presented.bytes[consumed...])
    } else {
      precondition(consumed == 0, "\(consumed) bytes consumed of \(connection), which is not being presented")
      leftover = Array(slot.pointee.leftover.bytes)
    }
    let detached = DetachedConnection(
      descriptor: slot.pointee.descriptor, leftover: leftover, unsent: Array(slot.pointee.output.bytes))
    unwatch(slot)
    connections.retire(connection, pool)
    connections.recycle(connection.slot)
    return detached
  }

  // MARK: Receiving

  /// Hears no more of a connection's input until `resumeReading`. The kernel's buffers fill, and the peer has to wait.
  /// A reset is heard all the same.
  public func pauseReading(_ connection: ConnectionKey) {
    guard let slot = connections.find(connection), slot.pointee.phase == .open else { return }
    slot.pointee.flags.insert(.paused)
    updateInterest(connection, slot)
  }

  /// Goes on reading. What was left unconsumed is presented again without waiting for more.
  public func resumeReading(_ connection: ConnectionKey) {
    guard let slot = connections.find(connection), slot.pointee.flags.contains(.paused) else { return }
    slot.pointee.flags.remove(.paused)
    if !slot.pointee.leftover.isEmpty || presented?.connection == connection {
      notices.append(Notice(connection: connection, content: .present))
    }
    updateInterest(connection, slot)
  }
}

/// `connect` by another name, since the loop's own method hides it.
private func beginConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
  connect(descriptor, address, length)
}
