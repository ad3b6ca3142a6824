extension EventLoop {
  /// Closes a connection; `closed` will be heard later in this turn, or in one of the next.
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

  /// The only way out. What is dear waits for its place among the departures: the descriptor is closed then, the handler
  /// hears of it, and the slot is free.
  func finish(_ connection: ConnectionKey, _ reason: CloseReason) {
    depart(connection, .closed(reason))
  }

  func failConnect(_ connection: ConnectionKey, _ error: SystemError) {
    depart(connection, .connectFailed(error))
  }

  /// A connection that has ended.
  struct Departure {
    enum Cause {
      case closed(CloseReason)
      case connectFailed(SystemError)
    }
    var connection: ConnectionKey
    var descriptor: Int32
    var cause: Cause
  }

  private func depart(_ connection: ConnectionKey, _ cause: Departure.Cause) {
    guard let slot = connections.find(connection) else { return }
    let descriptor = slot.pointee.descriptor
    unwatch(slot)
    connections.retire(connection, pool)
    departures.append(Departure(connection: connection, descriptor: descriptor, cause: cause))
  }

  /// Sees to those who have gone, some in each turn, so that thousands that go at once do not hold up who stays.
  func deliverDepartures(to handler: some EventLoopHandler) {
    guard nextDeparture < departures.count else { return }
    // What comes up meanwhile has its turn later.
    for _ in 0..<min(TransportLimits.departuresPerTurn, departures.count - nextDeparture) {
      let departure = departures[nextDeparture]
      nextDeparture += 1
      SystemCall.closeDescriptor(departure.descriptor)
      switch departure.cause {
      case .closed(let reason): handler.closed(departure.connection, reason)
      case .connectFailed(let error): handler.connectFailed(departure.connection, error)
      }
      connections.recycle(departure.connection.slot)
    }
    guard nextDeparture * 2 >= departures.count else { return }
    departures.removeFirst(nextDeparture)
    nextDeparture = 0
  }
}
