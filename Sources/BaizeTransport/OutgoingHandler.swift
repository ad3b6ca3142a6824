/// A handler of connections that its side made: it has no listener, no mailbox and no deadline, and queues too little to be
/// held up. Whoever has one of these after all says so, and the rest stays as it is here.
public protocol OutgoingHandler: EventLoopHandler {}

extension OutgoingHandler {
  public func accepted(_ connection: ConnectionKey, from peer: SocketAddress, on listener: ListenerKey) {}
  public func acceptPaused(_ listener: ListenerKey, _ error: SystemError) {}
  public func drained(_ connection: ConnectionKey, pendingBytes: Int) {}
  public func woken() {}
  public func turnEnded(now: UInt64) {}
  public var nextDeadline: UInt64? { nil }
}
