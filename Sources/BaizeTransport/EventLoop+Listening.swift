extension EventLoop {
  /// Begins to accept connections at an address; port 0 chooses a free one.
  ///
  /// - Throws: `SystemError`, for example when the address is in use.
  public func listen(on address: SocketAddress) throws -> ListenerKey {
    let listener = try Listener(on: address)
    let key = ListenerKey(index: UInt32(listeners.count))
    try selector.add(listener.descriptor, key: key.packed, .read)
    listeners.append(listener)
    return key
  }

  /// Returns the address that the listener is bound to, with the actual port; `nil` once it is closed.
  public func address(of listener: ListenerKey) -> SocketAddress? {
    self.listener(listener)?.address
  }

  /// Closes a listener. Connections that were accepted stay.
  public func stopListening(_ key: ListenerKey) {
    guard let listener = listener(key) else { return }
    selector.remove(listener.descriptor)
    listeners[Int(key.index)] = nil
  }

  func acceptAll(_ key: ListenerKey, _ handler: some EventLoopHandler) {
    for _ in 0..<TransportLimits.acceptsPerTurn {
      // Looked up each time: the handler may close the listener when it receives a connection.
      guard let listener = listener(key) else { return }
      do {
        switch try listener.accept() {
        case .none: return
        case .lost: continue
        case .connection(let descriptor, let peer):
          let connection = try register(descriptor, .open)
          handler.accepted(connection, from: peer, on: key)
        }
      } catch {
        pause(listener, key)
        handler.acceptPaused(key, error)
        return
      }
    }
  }

  func resumeListeners() {
    for (index, listener) in listeners.enumerated() {
      guard let listener, let resumesAt = listener.resumesAt, resumesAt <= now else { continue }
      setInterest(.read, of: listener, ListenerKey(index: UInt32(index)))
      listener.resumesAt = nil
    }
  }

  private func listener(_ key: ListenerKey) -> Listener? {
    Int(key.index) < listeners.count ? listeners[Int(key.index)] : nil
  }

  private func pause(_ listener: Listener, _ key: ListenerKey) {
    setInterest([], of: listener, key)
    listener.resumesAt = now + TransportLimits.acceptPauseNanoseconds
  }

  /// Changes a listener's interest, which needs no memory and fails only for a descriptor that is not registered.
  private func setInterest(_ interest: Interest, of listener: Listener, _ key: ListenerKey) {
    do {
      try selector.change(listener.descriptor, key: key.packed, interest)
    } catch {
      preconditionFailure("listener \(key.index) is not with the selector: \(error)")
    }
  }
}
