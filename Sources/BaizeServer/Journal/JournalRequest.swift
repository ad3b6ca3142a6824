import BaizeSync

/// What other threads send the journal's writer.
enum JournalRequest: Sendable {
  case turn(JournalTurn)
  /// A table that was read is a table again, or cannot be one.
  case decoded
  /// A shard has ended: all its turns stand before this.
  case left
}

/// What a shard's turn wants of the journal.
struct JournalTurn: Sendable {
  let shard: Int
  /// The last failure of the journal that the shard had received.
  let generation: Int
  /// The turn's, if it writes anything.
  let number: TurnNumber?
  let writes: [JournalWrite]
  /// Tables to be read once the writes are durable or void.
  let loads: [String]
  /// What the writes hold, roughly.
  let bytes: Int
}
