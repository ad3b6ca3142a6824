/// The bounds of the transport. The unit is the last word of a name.
public enum TransportLimits {
  /// The most that is read from a connection in one turn.
  public static let readBytes = 256 * 1024
  /// The most that is read in one turn, in equal parts from the connections that are ready. Reading and keeping as many bytes
  /// takes a few milliseconds.
  public static let readBytesPerTurn = 4 * 1024 * 1024
  /// The number of connections that are written in one turn: a call of the system for each takes some 5 to 15 µs.
  public static let writesPerTurn = 96
  /// The longest partial frame that is copied in front of the next read, in the loop's shared buffer. A longer one
  /// grows in a buffer of its own, so that a peer that sends it in small pieces does not cause a copy of all of it each
  /// time.
  public static let leftoverHeadroomBytes = 16 * 1024
  /// The default of what a handler may leave unconsumed before the connection is closed.
  public static let leftoverBytes = 1024 * 1024
  /// The longest header of version 1 of the PROXY protocol, with its end of line.
  package static let proxyLineBytesMax = 107
  /// The longest header of version 2 of the PROXY protocol that is accepted.
  package static let proxyHeaderBytesMax = 4 * 1024
  /// The number of connections accepted from one listener in one turn. Few, since existing connections wait meanwhile.
  public static let acceptsPerTurn = 1
  /// The pause of a listener when no descriptors are left.
  public static let acceptPauseNanoseconds: UInt64 = 100_000_000
  /// The kernel's queue of connections that are not accepted yet.
  public static let listenBacklogConnections: Int32 = 4096
  /// The longest time that a close with `afterFlush` takes, from the call until the descriptor is closed.
  public static let closeNanoseconds: UInt64 = 2_000_000_000
  /// The number of ended connections that are cleaned up in one turn.
  public static let endedConnectionsPerTurn = 4
  /// The number of readiness reports taken from the kernel in one turn.
  public static let eventsPerTurn = 256
  /// The unsent bytes that the kernel accepts for an accepted connection. The others stay in our queue, where they are
  /// counted: without this the kernel buffers megabytes for a peer that does not read.
  static let kernelUnsentBytes: Int32 = 128 * 1024
  /// The sizes of the smallest and the largest buffer that is pooled; between them, the powers of two.
  static let pooledBufferBytesMin = 128
  static let pooledBufferBytesMax = 256 * 1024
  /// The total size of the buffers that one loop pools.
  static let poolBytesMax = 8 * 1024 * 1024
  /// The delay of a turn from which the loop is taken to have been suspended.
  public static let suspensionNanosecondsMin: UInt64 = 1_000_000_000
  /// The number of bytes from which lent bytes that the kernel does not accept are copied once for all connections.
  static let sharedBytesMin = 2 * 1024
  /// The number of queued bytes above which further ones are queued in pieces.
  static let contiguousBytesMax = 16 * 1024
  /// The longest name of a thread on Linux.
  static let threadNameBytesMax = 15
}
