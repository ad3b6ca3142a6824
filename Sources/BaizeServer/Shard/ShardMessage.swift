import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport

/// A message from another thread to a shard.
enum ShardMessage: Sendable {
  /// The form in which a connection carries messages.
  enum Framing: Sendable {
    /// Each behind its length.
    case stream
    /// As messages of WebSocket.
    case webSocket
  }

  /// A connection whose table is on this shard, with all bytes received so far.
  case adopt(DetachedConnection, peer: SocketAddress, Framing, ConnectionLimiter.Account)
  /// A peer's new connection, with TLS.
  case secured(DetachedConnection, peer: SocketAddress)
  case journal(JournalAnswer)
  /// A table that this shard has asked for.
  case loaded(String, Result<RestoredTable?, JournalError>)
  /// A table that this shard has requested is created.
  case made(String, MadeTable)
  /// What was found of the signed token of a connection that waits for that.
  case verified(ConnectionID, TokenService.Finding)
  /// The persons and tokens that are revoked.
  case revoked(Set<Revocation>)
  case operation(OperatorRequest)
  /// Take over limits and table types that were read again.
  indirect case reload(SyncLimits, TableTypeLibrary)
  /// Send every client a goodbye with the time to reconnect at, then end the shard.
  case shutDown
}
