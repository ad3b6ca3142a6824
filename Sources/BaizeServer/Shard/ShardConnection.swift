import BaizeTransport

/// What a shard's host keeps of one connection, by slot. Everything that means something is with the machine.
struct ShardConnection {
  enum Standing {
    case none
    /// Has not said hello yet: its first frame decides where it goes.
    case door
    /// The machine hears its frames.
    case joined
    /// Was told why it cannot stay; the machine does not know it, and nobody counts it.
    case turnedAway
  }

  var standing = Standing.none
  /// The transport gives slots away again.
  var generation: UInt32 = 0
  /// Stands in the list of connections whose backlog is reported.
  var isWatched = false
  /// What the machine was told last.
  var reportedBytes = 0
  /// What the kernel had taken of its output then.
  var reportedTaken: UInt64 = 0
  /// Where it comes from.
  var peer = SocketAddress.loopback(port: 0)

  init() {}

  init(_ key: ConnectionKey, _ standing: Standing, peer: SocketAddress) {
    self.standing = standing
    generation = key.generation
    self.peer = peer
  }
}
