import BaizeSync
import BaizeTransport

/// The host's state of one connection, by slot. The protocol's state is in the machine.
struct ShardConnection {
  enum Standing {
    case none
    /// Has not sent its hello yet: the first frame decides where it goes.
    case handshake
    /// The machine receives its frames.
    case joined
    /// Was sent why it cannot stay. The machine does not know it, and nobody counts it.
    case rejected
  }

  var standing = Standing.none
  /// The transport uses slots again.
  var generation: UInt32 = 0
  /// Whether its backlog is reported to the machine after each turn.
  var isWatched = false
  /// The backlog that was reported last, and what the kernel had taken of its output then, in bytes.
  var reportedBytes = 0
  var reportedTaken: UInt64 = 0
  /// The address that it comes from.
  var peer = SocketAddress.loopback(port: 0)

  init() {}

  init(_ key: ConnectionKey, _ standing: Standing, peer: SocketAddress) {
    self.standing = standing
    generation = key.generation
    self.peer = peer
  }
}

// The machine's id of a connection is the loop's key of it, so that nothing has to be looked up. There are two types since
// neither layer may know the other: the machine runs without a transport, and the transport without sessions.

extension ConnectionKey {
  @inline(__always) var id: ConnectionID { ConnectionID(slot: slot, generation: generation) }
}

extension ConnectionID {
  @inline(__always) var key: ConnectionKey { ConnectionKey(slot: slot, generation: generation) }
}
