import BaizeSync
import BaizeTable
import BaizeTableTypes

/// A message from another thread to the journal's writer.
enum JournalRequest: Sendable {
  case turn(JournalTurn)
  /// Take over limits and table types that were read again.
  indirect case reload(SyncLimits.Journal, TableTypeLibrary)
  /// A shard has ended: all its turns were sent before this message.
  case left
}

/// The writes and loads of a shard's turn.
struct JournalTurn: Sendable {
  let shard: Int
  /// The last failure of the journal that the shard had received.
  let generation: Int
  /// The turn's number, if it writes anything.
  let number: TurnNumber?
  let writes: [JournalWrite]
  /// The tables to load once the writes are durable or void.
  let loads: [Load]
  /// The size of the writes in bytes.
  let bytes: Int

  struct Load: Sendable {
    let table: String
    /// The size in bytes that the shard has room for.
    let bytesMax: Int
    /// Whether it may move to the present document of its type.
    var mayMigrate = false
  }
}
