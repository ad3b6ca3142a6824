import BaizeSync

/// A message from the journal's writer to a shard. All but `loaded` arrive in the order of their events.
enum JournalAnswer: Sendable {
  /// All turns up to this one are durable. The second value is the size in bytes of those that became durable now.
  case committed(TurnNumber, bytes: Int)
  case loaded(String, Result<RestoredTable?, JournalError>)
  /// The disk has failed. Turns that are not durable are void if the generation is new.
  case storageFailed(JournalError, generation: Int)
  case storageRecovered
  /// Nobody has used the table for so long that it is to be deleted, unless it is in use now.
  case expired(String)
}
