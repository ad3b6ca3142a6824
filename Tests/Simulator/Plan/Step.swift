public import BaizeWorkload

/// An event of a world. An impossible step does nothing, so that any part of a script is a script.
public enum Step: Hashable, Sendable {
  /// A client starts.
  case start(Int)
  case act(Int, ClientAction)
  /// A client requests a snapshot.
  case ask(Int)
  /// A client sets its own value of presence, and sends it as a message, too.
  case express(Int, UInt8)
  /// A client leaves.
  case leave(Int)

  /// A connection that a client requests is established, or refused.
  case connect(Int)
  case refuse(Int)
  /// The next frame arrives at the daemon, or at the client.
  case up(Int)
  case down(Int)
  /// A connection is lost, and with it everything in flight but the first frames to the daemon, which notices it at
  /// ``notice``.
  case cut(Int, arriving: Int = 0)
  /// A connection is lost to its client only: what it has sent stays in flight, and arrives after what it sends later on another
  /// one, perhaps.
  case abandon(Int)
  /// The next frame arrives of the connection that was abandoned first.
  case arrive
  /// The daemon notices the connection that was lost first.
  case notice

  /// The daemon ends its turn.
  case turn
  /// The first waiting turns are committed.
  case commit(Int)
  /// The first requested table is loaded from the journal.
  case load
  /// The first table that waits for its set-up is set up.
  case make
  case pass(milliseconds: UInt64)

  /// The daemon is killed, and started again.
  case crash
  /// The daemon is stopped, and started again.
  case restart
  /// The disk becomes full, and has room again.
  case fill
  case free
  /// An impostor tries to take up a client's session.
  case impostor(Int, Impersonation)
}

/// The credential of an impostor, who knows the name of a client's session and its ticket.
public enum Impersonation: Hashable, Sendable {
  /// The client's with another bit.
  case forged
  /// One byte less.
  case shortened
}
