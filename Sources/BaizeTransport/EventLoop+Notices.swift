extension EventLoop {
  /// Something for the handler to hear that did not come from the selector. It waits for its place in the turn, since
  /// the call that brought it about may be the handler's own.
  struct Notice {
    enum Content {
      case drained
      /// Bytes are there already, and the handler is to look at them.
      case present
    }
    var connection: ConnectionKey
    var content: Content
  }

  /// Delivers what waits now. What comes up meanwhile has its turn later, so that two callbacks that feed each other
  /// cannot hold up the rest.
  func deliverNotices(to handler: some EventLoopHandler) {
    let count = notices.count
    if count == 0 { return }
    for index in 0..<count {
      deliver(notices[index], to: handler)
    }
    notices.removeFirst(count)
  }

  private func deliver(_ notice: Notice, to handler: some EventLoopHandler) {
    switch notice.content {
    case .drained:
      guard let slot = connections.find(notice.connection), slot.pointee.phase == .open else { return }
      handler.drained(notice.connection, pendingBytes: slot.pointee.output.pendingBytes)
    case .present:
      presentLeftover(of: notice.connection, to: handler)
    }
  }
}
