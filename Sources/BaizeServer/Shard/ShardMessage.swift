import BaizeSync
import BaizeTransport

/// What comes through a shard's door.
enum ShardMessage: Sendable {
  /// A connection whose table lives here, with all that it has sent so far.
  case adopt(DetachedConnection, peer: SocketAddress)
  case journal(JournalAnswer)
  /// A table that this shard asked for is made.
  case made(String, MadeTable)
  /// Everyone is told when to come back; then the shard ends.
  case shutDown
}
