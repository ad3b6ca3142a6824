/// Every bound of the transport, by name. The unit stands last.
public enum TransportLimits {
  /// What one read may take from a connection in one turn.
  public static let readBytes = 256 * 1024
  /// A partial frame up to this size is laid in front of the next read, in the loop's shared buffer. A longer one grows
  /// in storage of its own instead, so that a peer who sends it in crumbs does not make us copy all of it each time.
  public static let leftoverHeadroomBytes = 16 * 1024
  /// What a handler may leave unconsumed before the connection is closed, unless the loop was given another figure.
  public static let leftoverBytes = 1024 * 1024
  /// New connections taken from one listener in one turn; the rest wait for the next. One, since those who are there
  /// already wait meanwhile: a crowd comes in turn by turn.
  public static let acceptsPerTurn = 1
  /// The rest a listener takes when there are no descriptors left.
  public static let acceptPauseNanoseconds: UInt64 = 100_000_000
  /// Connections the kernel keeps for us until they are accepted.
  public static let listenBacklogConnections: Int32 = 4096
  /// What a close with `afterFlush` may take, from the call until the descriptor is closed.
  public static let closeNanoseconds: UInt64 = 2_000_000_000
  /// Connections that have ended and are cleared away in one turn; the rest wait for the next.
  public static let departuresPerTurn = 4
  /// Readiness reports taken from the kernel in one turn.
  public static let eventsPerTurn = 256
  /// What the kernel takes of an accepted connection's output beyond what is on its way to the peer. The rest stays with
  /// us, where it is counted: without this the kernel keeps megabytes for a peer that does not read.
  static let kernelUnsentBytes: Int32 = 128 * 1024
  /// The smallest and the largest buffer that is kept for use again; between them, the powers of two.
  static let pooledBufferBytesMin = 1024
  static let pooledBufferBytesMax = 256 * 1024
  /// All buffers together that one loop keeps for use again.
  static let poolBytesMax = 8 * 1024 * 1024
  /// A thread's name in bytes, as Linux allows it.
  static let threadNameBytesMax = 15
}
