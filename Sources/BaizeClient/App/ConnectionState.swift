public import BaizeWire

/// How a client stands to its daemon.
public enum ConnectionState: Hashable, Sendable {
  /// It has not been at the table yet.
  case joining
  /// It follows the table.
  case live
  /// The connection was lost. What is done meanwhile shows at once, and is sent when there is a connection again.
  case reconnecting(at: ContinuousClock.Instant, after: Goodbye?)
  /// It was told to go, or has left: nothing more will come.
  case ended(Goodbye)

  public var isLive: Bool { self == .live }
}
