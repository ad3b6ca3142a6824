public import BaizeTable

/// Presence of a participant's own: a small value that the app defines, such as a cursor, a colour, or "is typing". Never
/// part of the state.
public struct Presence: Hashable, Sendable {
  /// The session whose value it is; set by the daemon.
  public var session: SessionID
  /// The value, at most `WireLimits.presenceBytesMax` bytes; empty for none.
  public var value: [UInt8]

  /// Creates a value.
  public init(session: SessionID = .daemon, value: [UInt8]) {
    self.session = session
    self.value = value
  }
}
