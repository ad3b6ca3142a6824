public import BaizeWire

/// The state of a client's connection to its daemon.
public enum ConnectionState: Hashable, Sendable {
  /// The client has not received the table yet.
  case joining
  /// The client has the whole table and receives every diff.
  case live
  /// The connection was lost, and the client tries again at the given time.
  ///
  /// Operations submitted meanwhile show at once and are sent after the reconnect. `after` is the daemon's goodbye, if it
  /// sent one.
  case reconnecting(at: ContinuousClock.Instant, after: Goodbye?)
  /// The client has left or the daemon has ended the session. The client does not reconnect.
  case ended(Goodbye)

  /// Whether the client is ``live``.
  public var isLive: Bool { self == .live }
}
