extension EventLoop {
  /// Closes a connection; `closed` will be heard later in this turn, or in the next.
  ///
  /// - Parameter afterFlush: first sends what is queued and waits until the peer has ended its own side, so that it has
  ///   read everything, but not longer than `TransportLimits.closeNanoseconds`. Input is thrown away meanwhile. A
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

  /// The peer will send no more. What is queued for it still goes out: it may have ended only its own side.
  func peerEnded(_ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>) {
    slot.pointee.flags.insert(.peerEnded)
    switch slot.pointee.phase {
    case .free, .connecting: return
    case .open where slot.pointee.output.isEmpty: finish(connection, .peerClosed)
    case .open: beginClosing(connection, slot, .peerClosed)
    case .flushing: updateInterest(connection, slot)
    case .lingering: finish(connection, slot.pointee.closeReason)
    }
  }

  private func beginClosing(
    _ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>, _ reason: CloseReason
  ) {
    slot.pointee.phase = .flushing
    slot.pointee.closeReason = reason
    slot.pointee.flags.subtract([.paused, .drainOwed])
    slot.pointee.leftover.removeAll(pool)
    closing.append(connection, deadline: MonotonicClock.now() + closeNanoseconds)
    markDirty(connection, slot)
    updateInterest(connection, slot)
  }

  /// Everything queued is with the kernel.
  func endSending(_ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>) {
    if slot.pointee.flags.contains(.peerEnded) {
      finish(connection, slot.pointee.closeReason)
      return
    }
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

  /// The only way out: closes the descriptor and leaves a note for the handler, with whose delivery the slot is free.
  func finish(_ connection: ConnectionKey, _ reason: CloseReason) {
    release(connection, .closed(reason))
  }

  func failConnect(_ connection: ConnectionKey, _ error: SystemError) {
    release(connection, .connectFailed(error))
  }

  private func release(_ connection: ConnectionKey, _ content: Notice.Content) {
    guard let slot = connections.find(connection) else { return }
    let descriptor = slot.pointee.descriptor
    unwatch(slot)
    connections.retire(connection, pool)
    SystemCall.closeDescriptor(descriptor)
    notices.append(Notice(connection: connection, content: content))
  }
}
