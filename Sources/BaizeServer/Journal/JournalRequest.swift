import BaizeSync

/// A message from another thread to the journal's writer.
enum JournalRequest: Sendable {
  case turn(JournalTurn)
  /// A table that was read is a table again, or cannot be one.
  case decoded
  /// A shard has ended: all its turns stand before this.
  case left
}

/// The writes and loads of a shard's turn.
struct JournalTurn: Sendable {
  let shard: Int
  /// The last failure of the journal that the shard had received.
  let generation: Int
  /// The turn's, if it writes anything.
  let number: TurnNumber?
  let writes: [JournalWrite]
  /// Tables to be read once the writes are durable or void.
  let loads: [String]
  /// The size of the writes in bytes.
  let bytes: Int
}
