extension EventLoop {
  // MARK: Queueing

  /// Queues bytes, which are sent at the end of the turn together with everything queued until then.
  ///
  /// - Returns: The number of bytes queued now; 0 for a connection that is closed or closing.
  @discardableResult
  public func append(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    guard let slot = writableSlot(connection) else { return 0 }
    slot.pointee.output.append(bytes, pool)
    markDirty(connection, slot)
    return slot.pointee.output.pendingBytes
  }

  /// Queues bytes that stay valid while the process runs: they are never copied, and take no memory of the queue.
  ///
  /// - Returns: The number of bytes queued now; 0 for a connection that is closed or closing.
  @discardableResult
  public func append(_ connection: ConnectionKey, permanent bytes: UnsafeRawBufferPointer) -> Int {
    guard let slot = writableSlot(connection) else { return 0 }
    slot.pointee.output.append(permanent: bytes, pool)
    markDirty(connection, slot)
    return slot.pointee.output.pendingBytes
  }

  /// Queues bytes like ``append(_:_:)``, but sends them from the caller's memory: only what the kernel does not accept
  /// is copied. Contiguous bytes for one connection are sent as one range.
  ///
  /// To be called within ``withLending(_:)``; the bytes must stay valid until that returns.
  ///
  /// - Parameter audience: About how many connections receive the same, 0 if that is not known: those of the smallest audiences are
  ///   written first where more have queued bytes than a turn writes.
  /// - Returns: The number of bytes queued now; 0 for a connection that is closed or closing.
  @discardableResult
  public func lend(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer, audience: Int = 0) -> Int {
    precondition(isLending, "bytes were lent outside of withLending")
    guard let slot = writableSlot(connection) else { return 0 }
    slot.pointee.output.borrow(bytes, pool)
    if audience > 0 {
      slot.pointee.audienceBits = UInt8(truncatingIfNeeded: Int.bitWidth - audience.leadingZeroBitCount)
    }
    markDirty(connection, slot)
    return slot.pointee.output.pendingBytes
  }

  /// Runs `body`, which may ``lend(_:_:)`` bytes to connections, then writes each connection with queued bytes once.
  public func withLending(_ body: () -> Void) {
    precondition(!isLending, "bytes were lent within withLending")
    isLending = true
    body()
    isLending = false
    flushDirty()
    pool.endSharing()
  }

  /// The memory of all queued bytes, of the buffers kept for them and of TLS, in bytes.
  public var queueMemoryBytes: Int {
    pool.heldBytes + pool.takenBytes + pool.sharedBytes + securedCount * TLSLimits.connectionBytes
  }

  @inline(__always)
  private func writableSlot(_ connection: ConnectionKey) -> UnsafeMutablePointer<ConnectionSlot>? {
    guard let slot = connections.find(connection) else { return nil }
    return slot.pointee.phase == .open || slot.pointee.phase == .connecting ? slot : nil
  }

  /// Returns the number of bytes that are queued and not yet accepted by the kernel.
  public func pendingBytes(_ connection: ConnectionKey) -> Int {
    connections.find(connection)?.pointee.output.pendingBytes ?? 0
  }

  /// Returns the number of bytes that the kernel has accepted since the connection came to this loop; `nil` if it is closed.
  public func takenBytes(_ connection: ConnectionKey) -> UInt64? {
    connections.find(connection)?.pointee.output.takenBytes
  }

  /// Requests one `drained` as soon as no more than `bytes` bytes are queued, after the next write at the earliest.
  ///
  /// The mark stays: whenever the queue backs up later, `drained` follows at the mark. Initially it is 0.
  public func setDrainMark(_ connection: ConnectionKey, bytes: Int) {
    guard let slot = connections.find(connection) else { return }
    slot.pointee.drainMarkBytes = UInt32(clamping: bytes)
    slot.pointee.flags.insert(.notifiesDrain)
    markDirty(connection, slot)
  }

  @inline(__always)
  func markDirty(_ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>) {
    if slot.pointee.flags.insert(.dirty).inserted { dirty.append(connection) }
  }

  // MARK: Writing

  /// Writes each connection with queued bytes once, as far as the turn's bound allows; the others follow in the next turns. The
  /// handler is informed afterwards, so that the list does not change meanwhile.
  func flushDirty() {
    let count = dirty.count
    guard count <= writesLeft else { return flushSome() }
    writesLeft -= count
    for index in 0..<count { flush(dirty[index]) }
    dirty.removeAll()
  }

  /// Writes as many connections as the turn may still write: a half are those that have waited longest, so that each is written at
  /// some time, and the others those of the smallest audiences, which do not wait for a crowd.
  ///
  /// - Complexity: O(number of connections with queued bytes).
  @inline(never) private func flushSome() {
    let oldest = writesLeft / 2
    for index in 0..<oldest { flush(dirty[index]) }
    var counts = [Int](repeating: 0, count: Int.bitWidth + 1)
    for index in oldest..<dirty.count { counts[audienceBits(of: dirty[index])] += 1 }
    // All audiences below a bound are written, and a part of those at it.
    var (bound, left) = (0, writesLeft - oldest)
    while left >= counts[bound] {
      left -= counts[bound]
      bound += 1
    }
    writesLeft = 0
    dirty.removeAll(from: oldest) { key in
      let bits = audienceBits(of: key)
      if bits == bound, left > 0 {
        left -= 1
      } else if bits >= bound {
        // What was lent is valid no longer than now.
        connections.find(key)?.pointee.output.endBorrowing(pool)
        return false
      }
      flush(key)
      return true
    }
  }

  private func audienceBits(of connection: ConnectionKey) -> Int {
    connections.find(connection).map { Int($0.pointee.audienceBits) } ?? 0
  }

  private func flush(_ connection: ConnectionKey) {
    guard let slot = connections.find(connection) else { return }
    slot.pointee.flags.remove(.dirty)
    if slot.pointee.phase == .connecting || slot.pointee.flags.contains(.blocked) {
      slot.pointee.output.endBorrowing(pool)
      if slot.pointee.phase == .connecting { return }
    } else {
      do {
        if let tls = slot.pointee.tls { return flushRecords(connection, slot, tls) }
        let isEmpty = try slot.pointee.output.flush(to: slot.pointee.descriptor, pool)
        // Mostly everything is sent, and there is nothing else to do.
        if isEmpty, slot.pointee.flags.isEmpty, slot.pointee.phase == .open, slot.pointee.interest == .read { return }
        if !isEmpty { slot.pointee.flags.insert(.blocked) }
      } catch {
        finish(connection, .failed(error))
        return
      }
    }
    flushed(connection, slot)
  }

  /// Does what follows from a write that has not sent everything, or that others wait for.
  func flushed(_ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>) {
    if slot.pointee.output.pendingBytes > queuedBytesMax {
      finish(connection, .queueTooLong(bytes: slot.pointee.output.pendingBytes))
      return
    }
    if slot.pointee.flags.contains(.blocked),
      slot.pointee.output.pendingBytes > slot.pointee.drainMarkBytes
    {
      slot.pointee.flags.insert(.notifiesDrain)
    }
    notifyDrained(connection, slot)
    if slot.pointee.phase == .flushing, slot.pointee.output.isEmpty {
      endSending(connection, slot)
    } else {
      updateInterest(connection, slot)
    }
  }

  @inline(__always)
  private func notifyDrained(_ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>) {
    guard slot.pointee.flags.contains(.notifiesDrain), slot.pointee.phase == .open else { return }
    guard slot.pointee.output.pendingBytes <= slot.pointee.drainMarkBytes else { return }
    slot.pointee.flags.remove(.notifiesDrain)
    notices.append(Notice(connection: connection, content: .drained))
  }

  // MARK: Interest

  /// Adds a connection to the table and to the selector.
  ///
  /// - Throws: `SystemError`; the descriptor is closed then.
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

  /// Sets the events that the selector watches, if they have changed.
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
