import BaizeSync
import BaizeTransport

/// What other threads send a shard.
enum ShardMessage: Sendable {
  /// A connection whose table lives here, with all that it has sent so far.
  case adopt(DetachedConnection, peer: SocketAddress)
  case journal(JournalAnswer)
  /// A table that this shard asked for is made.
  case made(String, MadeTable)
  /// Every client is told when to come back; then the shard ends.
  case shutDown
}
