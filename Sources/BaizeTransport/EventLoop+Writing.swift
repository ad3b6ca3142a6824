extension EventLoop {
  func markDirty(_ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>) {
    if slot.pointee.flags.insert(.dirty).inserted { dirty.append(connection) }
  }

  /// Writes each connection that has something to say, once. The handler hears of the outcome afterwards, so that the
  /// list does not change meanwhile.
  func flushDirty() {
    for connection in dirty {
      flush(connection)
    }
    dirty.removeAll(keepingCapacity: true)
  }

  private func flush(_ connection: ConnectionKey) {
    guard let slot = connections.find(connection) else { return }
    slot.pointee.flags.remove(.dirty)
    if slot.pointee.phase == .connecting { return }
    if !slot.pointee.flags.contains(.blocked) {
      do {
        let isEmpty = try slot.pointee.output.flush(to: slot.pointee.descriptor, pool)
        if !isEmpty { slot.pointee.flags.insert(.blocked) }
      } catch {
        finish(connection, .failed(error))
        return
      }
    }
    if slot.pointee.flags.contains(.blocked),
      slot.pointee.output.pendingBytes > slot.pointee.output.drainMarkBytes
    {
      slot.pointee.flags.insert(.drainOwed)
    }
    payDrained(connection, slot)
    if slot.pointee.phase == .flushing, slot.pointee.output.isEmpty {
      endSending(connection, slot)
    } else {
      updateInterest(connection, slot)
    }
  }

  private func payDrained(_ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>) {
    guard slot.pointee.flags.contains(.drainOwed), slot.pointee.phase == .open else { return }
    guard slot.pointee.output.pendingBytes <= slot.pointee.output.drainMarkBytes else { return }
    slot.pointee.flags.remove(.drainOwed)
    notices.append(Notice(connection: connection, content: .drained))
  }

  // MARK: What the selector knows

  /// Gives a descriptor its place in the loop. It is closed if there is none.
  func register(_ descriptor: Int32, _ phase: ConnectionSlot.Phase) throws(SystemError) -> ConnectionKey {
    let connection = connections.insert(descriptor, phase)
    let interest: Interest = phase == .connecting ? .write : .read
    do {
      try selector.add(descriptor, key: connection.packed, interest)
    } catch {
      SystemCall.closeDescriptor(descriptor)
      connections.retire(connection, pool)
      connections.recycle(connection.slot)
      throw error
    }
    connections.find(connection)?.pointee.interest = interest
    return connection
  }

  /// Tells the selector what it ought to watch, if that is news.
  @inline(__always)
  func updateInterest(_ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>) {
    let wanted = slot.pointee.wantedInterest
    if wanted != slot.pointee.interest || slot.pointee.flags.contains(.unwatched) {
      changeInterest(connection, slot, to: wanted)
    }
  }

  private func changeInterest(
    _ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>, to wanted: Interest
  ) {
    do {
      if !slot.pointee.flags.contains(.unwatched) {
        try selector.change(slot.pointee.descriptor, key: connection.packed, wanted)
      } else if wanted.contains(.read) {
        try selector.add(slot.pointee.descriptor, key: connection.packed, wanted)
        slot.pointee.flags.remove(.unwatched)
      }
      slot.pointee.interest = wanted
    } catch {
      finish(connection, .failed(error))
    }
  }

  func unwatch(_ slot: UnsafeMutablePointer<ConnectionSlot>) {
    if slot.pointee.flags.insert(.unwatched).inserted { selector.remove(slot.pointee.descriptor) }
  }
}
