#if OpenSSL
  /// Connections with TLS. The handler's side of them is the same: it receives and queues bytes that are not encrypted.
  extension EventLoop {
    /// Begins TLS on a peer's connection, with what has arrived and is not consumed yet. The handler receives `secured`, or
    /// `closed` with the reason why it is not secure. There is no timeout.
    ///
    /// - Throws: `TLSFailure` when OpenSSL has no memory.
    package func secure(_ connection: ConnectionKey, _ context: TLSContext, for service: TLSService) throws(TLSFailure)
    {
      guard let slot = connections.find(connection) else { return }
      precondition(slot.pointee.tls == nil, "\(connection) has TLS already")
      attach(try TLSSession(context, service, slot.pointee.descriptor), to: connection)
      notices.append(Notice(connection: connection, content: .present))
    }

    func attach(_ tls: TLSSession, to connection: ConnectionKey) {
      guard let slot = connections.find(connection) else { return }
      slot.pointee.tls = tls
      securedCount += 1
    }

    /// Removes TLS from a connection that leaves the loop.
    func takeTLS(_ slot: UnsafeMutablePointer<ConnectionSlot>) -> TLSSession? {
      guard let tls = slot.pointee.tls else { return nil }
      slot.pointee.tls = nil
      securedCount -= 1
      return tls
    }

    // MARK: Receiving

    /// Reads records, and presents what was encrypted.
    @inline(never) func readRecords(
      _ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>, _ tls: TLSSession,
      _ handler: some EventLoopHandler
    ) {
      let buffer = recordBuffer ?? .allocate(byteCount: TLSLimits.readBytesPerTurn, alignment: 16)
      recordBuffer = buffer
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(recordBytes, buffer.count)])
      do {
        switch try Socket.receive(from: slot.pointee.descriptor, into: room) {
        case .wouldBlock: return
        case .done(0): peerEnded(connection, slot)
        case .done(let count):
          guard slot.pointee.phase == .open else { return }
          receive(UnsafeRawBufferPointer(rebasing: room[..<count]), connection, slot, tls, handler)
        }
      } catch {
        finish(connection, slot.pointee.phase == .lingering ? slot.pointee.closeReason : .failed(error))
      }
    }

    /// Begins TLS with the bytes that have arrived before.
    @inline(never) func beginSecuring(
      _ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>, _ tls: TLSSession,
      _ handler: some EventLoopHandler
    ) {
      var arrived = exchange(&slot.pointee.leftover, with: ByteQueue())
      // As much as a read: what a peer sends before it has an answer is shorter.
      if arrived.count <= TLSLimits.readBytesPerTurn {
        receive(arrived.bytes, connection, slot, tls, handler)
      } else {
        finish(connection, .leftoverTooLong(bytes: arrived.count))
      }
      arrived.removeAll(pool)
    }

    private func receive(
      _ records: UnsafeRawBufferPointer, _ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>,
      _ tls: TLSSession, _ handler: some EventLoopHandler
    ) {
      let wasEstablished = tls.isEstablished
      let outcome: Result<Int, TLSFailure>? = tls.withIncoming(records) {
        if !wasEstablished {
          switch tls.handshake() {
          case .established: break
          case .wantsToRead: return nil
          case .wantsToWrite:
            slot.pointee.flags.insert(.blocked)
            return nil
          case .failed(let failure): return .failure(failure)
          }
        }
        do throws(TLSFailure) {
          return .success(
            try tls.read(into: UnsafeMutableRawBufferPointer(start: readStart, count: TransportLimits.readBytes)))
        } catch {
          return .failure(error)
        }
      }
      switch outcome {
      case nil: updateInterest(connection, slot)
      case .failure(let failure): fail(connection, slot, failure)
      case .success(let count):
        if wasEstablished {
          if count > 0 { received(count, connection, slot, handler) }
        } else {
          established(connection, slot, count, handler)
        }
        guard tls.peerHasEnded, let slot = connections.find(connection) else { return }
        peerEnded(connection, slot)
      }
    }

    /// Informs the handler of TLS that is established, before it receives anything.
    func established(
      _ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>, _ count: Int,
      _ handler: some EventLoopHandler
    ) {
      if count > 0 {
        slot.pointee.leftover.append(UnsafeRawBufferPointer(start: readStart, count: count), pool)
        notices.append(Notice(connection: connection, content: .present))
      }
      if !slot.pointee.output.isEmpty || slot.pointee.flags.contains(.notifiesDrain) { markDirty(connection, slot) }
      updateInterest(connection, slot)
      if slot.pointee.flags.remove(.connects) != nil {
        handler.connected(connection)
      } else {
        handler.secured(connection)
      }
    }

    /// Closes a connection because of TLS. The alert that tells the peer why is sent already.
    private func fail(_ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>, _ failure: TLSFailure)
    {
      guard slot.pointee.phase == .open else { return finish(connection, slot.pointee.closeReason) }
      // Nothing can be encrypted any more.
      slot.pointee.output.removeAll(pool)
      _ = takeTLS(slot)
      beginClosing(connection, slot, .insecure(failure))
    }

    // MARK: Sending

    /// Goes on with a handshake without new bytes.
    @inline(never) func resumeHandshake(
      _ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>, _ tls: TLSSession
    ) {
      switch tls.handshake() {
      case .established: notices.append(Notice(connection: connection, content: .secured))
      case .wantsToRead: break
      case .wantsToWrite: slot.pointee.flags.insert(.blocked)
      case .failed(let failure): return fail(connection, slot, failure)
      }
      updateInterest(connection, slot)
    }

    /// Writes a connection's queued bytes as records.
    @inline(never) func flushRecords(
      _ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>, _ tls: TLSSession
    ) {
      guard tls.isEstablished else {
        slot.pointee.output.endBorrowing(pool)
        if slot.pointee.phase == .open { return resumeHandshake(connection, slot, tls) }
        // There is nothing to say before the handshake.
        slot.pointee.output.removeAll(pool)
        return flushed(connection, slot)
      }
      do throws(TLSFailure) {
        let isEmpty = try slot.pointee.output.flush(pool) { (bytes) throws(TLSFailure) in try tls.send(bytes) }
        if isEmpty, slot.pointee.flags.isEmpty, slot.pointee.phase == .open, slot.pointee.interest == .read { return }
        if !isEmpty { slot.pointee.flags.insert(.blocked) }
        flushed(connection, slot)
      } catch {
        fail(connection, slot, error)
      }
    }
  }
#else
  /// No connection has TLS in a build without it.
  extension EventLoop {
    package func secure(_ connection: ConnectionKey, _ context: TLSContext, for service: TLSService) throws(TLSFailure)
    {
      throw .unavailable
    }

    func attach(_ tls: TLSSession, to connection: ConnectionKey) {}

    func takeTLS(_ slot: UnsafeMutablePointer<ConnectionSlot>) -> TLSSession? { nil }

    func readRecords(
      _ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>, _ tls: TLSSession,
      _ handler: some EventLoopHandler
    ) {}

    func beginSecuring(
      _ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>, _ tls: TLSSession,
      _ handler: some EventLoopHandler
    ) {}

    func established(
      _ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>, _ count: Int,
      _ handler: some EventLoopHandler
    ) {}

    func resumeHandshake(
      _ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>, _ tls: TLSSession
    ) {}

    func flushRecords(
      _ connection: ConnectionKey, _ slot: UnsafeMutablePointer<ConnectionSlot>, _ tls: TLSSession
    ) {}
  }
#endif
