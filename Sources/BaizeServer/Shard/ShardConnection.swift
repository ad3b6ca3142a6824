import BaizeSync
import BaizeTransport

/// The host's state of one connection, by slot. The protocol's state is in the machine.
struct ShardConnection {
  enum WebSocketPhase {
    /// The hello has not arrived yet.
    case handshake
    case joined
    /// Its frames were not accepted: the machine closes it, and nothing more is received.
    case violated
  }

  enum ProxyPhase {
    /// The header that tells the client has not arrived yet.
    case waiting
    /// There is none, or it is wrong: the machine closes the connection, and nothing more is received.
    case violated
  }

  enum Standing {
    case none
    /// It comes from a proxy, and the limiter counts it for no address.
    case proxied(ProxyPhase)
    /// The hello has not arrived yet; the first frame decides the shard.
    case handshake
    /// The machine receives its frames.
    case joined
    /// It is a WebSocket, whose messages the machine receives once the first has decided the shard.
    case webSocket(WebSocketPhase)
    /// The machine knows that it has ended; the peer is still to end its side.
    case left
    /// It was rejected and is being sent its goodbye. Neither the machine nor the limiter counts it.
    case rejected
  }

  var standing = Standing.none
  /// The transport reuses slots.
  var generation: UInt32 = 0
  /// Whether its backlog is reported to the machine after each turn.
  var isWatched = false
  /// Whether the machine knows that much is kept of its frames.
  var holdsMuch = false
  /// The last reported backlog, and the number of bytes that the kernel had accepted by then.
  var reportedBytes = 0
  var reportedTaken: UInt64 = 0
  var peer = SocketAddress.loopback(port: 0)
  /// The limiter's account that it is counted in.
  var account = ConnectionLimiter.Account.clients

  init() {}

  init(_ key: ConnectionKey, _ standing: Standing, peer: SocketAddress, _ account: ConnectionLimiter.Account) {
    self.standing = standing
    generation = key.generation
    self.peer = peer
    self.account = account
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
