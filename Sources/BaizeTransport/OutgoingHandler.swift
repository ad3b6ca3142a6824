/// A handler of outgoing connections only, without listener, mailbox and deadline, which queues too little to back up.
/// A conforming type implements what it needs; the other callbacks do nothing.
public protocol OutgoingHandler: EventLoopHandler {}

extension OutgoingHandler {
  public func accepted(_ connection: ConnectionKey, from peer: SocketAddress, on listener: ListenerKey) {}
  public func acceptPaused(_ listener: ListenerKey, _ error: SystemError) {}
  public func drained(_ connection: ConnectionKey, pendingBytes: Int) {}
  public func woken() {}
  public func turnEnded(now: UInt64) {}
  public var nextDeadline: UInt64? { nil }
}
