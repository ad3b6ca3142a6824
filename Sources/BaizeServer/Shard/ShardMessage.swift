import BaizeSync
import BaizeTransport

/// A message from another thread to a shard.
enum ShardMessage: Sendable {
  /// A connection whose table lives here, with all that it has sent so far.
  case adopt(DetachedConnection, peer: SocketAddress)
  case journal(JournalAnswer)
  /// A table that this shard asked for is made.
  case made(String, MadeTable)
  /// Send every client a goodbye with the time to reconnect at, then end the shard.
  case shutDown
}
