import BaizeTransport

/// The host's state of one connection, by slot. The protocol's state is in the machine.
struct ShardConnection {
  enum Standing {
    case none
    /// The hello has not arrived yet; the first frame decides the shard.
    case handshake
    /// The machine receives its frames.
    case joined
    /// It was rejected and is being sent its goodbye. Neither the machine nor the limiter counts it.
    case rejected
  }

  var standing = Standing.none
  /// The transport reuses slots.
  var generation: UInt32 = 0
  /// Whether its backlog is reported to the machine after each turn.
  var isWatched = false
  /// The last reported backlog, and the number of bytes that the kernel had accepted by then.
  var reportedBytes = 0
  var reportedTaken: UInt64 = 0
  /// The peer's address.
  var peer = SocketAddress.loopback(port: 0)

  init() {}

  init(_ key: ConnectionKey, _ standing: Standing, peer: SocketAddress) {
    self.standing = standing
    generation = key.generation
    self.peer = peer
  }
}
