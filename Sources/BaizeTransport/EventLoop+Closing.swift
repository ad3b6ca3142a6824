extension EventLoop {
  /// Closes a connection. The handler receives `closed` later in this turn, or in one of the next.
  ///
  /// - Parameter afterFlush: Whether to send the queued bytes first and to wait until the peer has ended its side, so
  ///   that it has read everything, for at most `TransportLimits.closeNanoseconds`. Input is discarded meanwhile. A
  ///   connection that is still connecting is closed at once.
  public func close(_ connection: ConnectionKey, afterFlush: Bool = false) {
    guard let slot = connections.find(connection) else { return }
    switch slot.pointee.phase {
    case .free: return
    case .connecting: finish(connection, .requested)
    case .open where afterFlush: beginClosing(connection, slot, .requested)
    case .open: finish(connection, .requested)
    case .flushing, .lingering: if !afterFlush { finish(connection, slot.pointee.closeReason) }
    }
  }

  /// Handles the end of the peer's stream. Queued bytes are still sent: the peer may have ended only its own side.
  func peerEnded(_ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>) {
    slot.pointee.flags.insert(.peerEnded)
    switch slot.pointee.phase {
    case .free, .connecting: return
    case .open where slot.pointee.output.isEmpty:
      slot.pointee.tls?.endSending()
      finish(connection, .peerClosed)
    case .open: beginClosing(connection, slot, .peerClosed)
    case .flushing: updateInterest(connection, slot)
    case .lingering: finish(connection, slot.pointee.closeReason)
    }
  }

  func beginClosing(
    _ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>, _ reason: CloseReason
  ) {
    slot.pointee.phase = .flushing
    slot.pointee.closeReason = reason
    slot.pointee.flags.subtract([.paused, .notifiesDrain])
    slot.pointee.leftover.removeAll(pool)
    closing.append(connection, at: MonotonicClock.now())
    markDirty(connection, slot)
    updateInterest(connection, slot)
  }

  /// Ends the sending side, once the kernel has accepted all queued bytes.
  func endSending(_ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>) {
    if slot.pointee.flags.contains(.peerEnded) {
      finish(connection, slot.pointee.closeReason)
      return
    }
    slot.pointee.tls?.endSending()
    do {
      try Socket.endSending(slot.pointee.descriptor)
      slot.pointee.phase = .lingering
      updateInterest(connection, slot)
    } catch {
      finish(connection, .failed(error))
    }
  }

  func closingTimedOut(_ connection: ConnectionKey) {
    guard let slot = connections.find(connection) else { return }
    let unsent = slot.pointee.output.pendingBytes
    finish(connection, unsent > 0 ? .flushTimedOut(unsentBytes: unsent) : slot.pointee.closeReason)
  }

  /// Ends a connection: every one ends here. The expensive part is deferred and rate-limited: closing the descriptor,
  /// informing the handler and freeing the slot.
  func finish(_ connection: ConnectionKey, _ reason: CloseReason) {
    end(connection, .closed(reason))
  }

  func failConnect(_ connection: ConnectionKey, _ error: SystemError) {
    end(connection, .connectFailed(error))
  }

  /// A connection that has ended and is not cleaned up yet.
  struct EndedConnection {
    enum Cause {
      case closed(CloseReason)
      case connectFailed(SystemError)
    }
    var connection: ConnectionKey
    var descriptor: Int32
    var cause: Cause
    /// TLS, which is freed with the rest.
    var tls: TLSSession?
  }

  private func end(_ connection: ConnectionKey, _ cause: EndedConnection.Cause) {
    guard let slot = connections.find(connection) else { return }
    let (descriptor, tls): (Int32, TLSSession?) = (slot.pointee.descriptor, takeTLS(slot))
    unwatch(slot)
    connections.retire(connection, pool)
    ended.append(EndedConnection(connection: connection, descriptor: descriptor, cause: cause, tls: tls))
  }

  /// Cleans up after connections that have ended, a few in each turn, so that thousands of them do not delay the
  /// others.
  func deliverEnded(to handler: some EventLoopHandler) {
    // Connections that end meanwhile are left to later turns.
    for _ in 0..<min(TransportLimits.endedConnectionsPerTurn, ended.count) {
      guard let connection = ended.popFirst() else { return }
      SystemCall.closeDescriptor(connection.descriptor)
      switch connection.cause {
      case .closed(let reason): handler.closed(connection.connection, reason)
      case .connectFailed(let error): handler.connectFailed(connection.connection, error)
      }
      connections.recycle(connection.connection.slot)
    }
  }
}
