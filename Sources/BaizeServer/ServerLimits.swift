/// The bounds of the daemon's host, with their defaults. Those of sessions and tables are `SyncLimits`, those of sockets
/// `TransportLimits`.
public enum ServerLimits {
  /// The port of `baized` without `--listen`.
  public static let port: UInt16 = 7777
  public static let shardsMax = 256
  public static let connectionsMax = 100_000
  public static let connectionsPerAddressMax = 1_000
  /// Descriptors that are kept free for listeners, selectors, files and connections that are being turned away.
  static let descriptorReserve = 256
  /// Connections that are being told, all at once, why they were turned away; more are closed without a word.
  static let turnedAwayMax = 128
  /// The longest first frame: whoever has not said hello gets no room for more.
  public static let helloBytesMax = 16 << 10
  /// Frames taken from one connection before the others have their turn.
  static let framesPerTurnMax = 1_024
  /// Unsent bytes from which a connection's queue is looked at after each turn.
  static let backlogWatchBytes = 16 << 10
  /// What a shard has posted to the journal and is not durable yet, in bytes: from there on the shard hears nobody. A
  /// disk that stalls costs so much memory, and the frames that wait with it.
  static let unwrittenBytesMax = 32 << 20
  /// How long a turn that has something to write is gone on with at most, while there is more to hear.
  static let gatherNanosecondsMax: UInt64 = 1_000_000
  /// Tables that were read from the journal and are being made into tables.
  static let tablesDecodingMax = 16
  /// How often it is tried whether a disk takes writes again.
  static let journalRetryNanoseconds: UInt64 = 1_000_000_000
  /// How often a shard looks at what is overdue.
  static let tickNanoseconds: UInt64 = 1_000_000_000
  /// How long a stop waits for what is still to be sent.
  static let stopNanoseconds: UInt64 = 3_000_000_000
}
