import BaizeSync

/// What the journal's writer sends a shard. All but `loaded` come in the order in which it happened.
enum JournalAnswer: Sendable {
  /// All turns up to this one are durable; so many bytes of them were not before.
  case committed(TurnNumber, bytes: Int)
  case loaded(String, Result<RestoredTable?, JournalError>)
  /// What is not durable is void, if the generation is a new one.
  case storageFailed(JournalError, generation: Int)
  case storageRecovered
}
