/// Every bound of the client library, by name. The unit stands last.
public enum ClientLimits {
  /// How long a connection may take to come about before the attempt is given up.
  public static let connectSeconds: UInt64 = 10
  /// What of a table's events waits for one slow reader, each change of an event counted; more is given up for one
  /// `.reloaded`.
  public static let waitingEventsMax = 4_096
  /// Between two movements of a drag that are sent: a little less often than the daemon passes them on.
  public static let dragMoveMilliseconds: UInt64 = 34
  /// How long a drag rests before its place is said once more.
  public static let dragRestMilliseconds: UInt64 = 250
}
