public import BaizeTable

/// A journal as the shards of a daemon use it: they send turns, receive answers and ask for tables. Every engine of a journal is
/// one, whatever threads, files or connections it has; a shard never waits for it.
///
/// ```
/// shard:    send(turn 7) … send(turn 8) … send(turn 9) …        … frames of 7              … frames of 8 and 9
/// journal:       makes 7 durable ─────────────────▶ acknowledged(7) ▶ 8, 9 ────▶ acknowledged(9)
/// ```
///
/// **Turn.** What a shard writes in one turn, of any number of its tables, is durable as a whole or not at all. A shard's turns
/// have rising numbers and become durable in that order; a turn of another shard may come before or after. An engine may
/// make several turns durable at once.
///
/// **Acknowledged.** A turn is acknowledged once it and all earlier turns of its shard are durable, as durable as the engine
/// makes anything, and whoever loads one of their tables later will read them. Nothing that depends on a turn may
/// leave the daemon before, except under ``Durability/relaxed``.
///
/// **Void.** A failure is answered to every shard, with a generation. If it is a new one, all turns that were sent under earlier
/// generations and are not acknowledged are void: they never become durable, nor does a turn that is still on its way with an
/// earlier generation: each turn names the one that its shard knows, so that no shard builds on what is lost. An engine whose
/// storage several nodes share answers the same when it may have lost a lease: the generation is the fence that keeps a
/// former owner from committing. Under `relaxed` the generation stays: clients have received what was sent, so the turns are
/// kept and written later.
///
/// **Unknown.** An engine that does not know whether a turn is durable, such as when a connection ends between a commit and its
/// answer, answers nothing until it has found out. A turn without an answer is neither acknowledged nor void.
///
/// **Loading.** A turn may ask for tables. Each is read once all turns that change it, up to this one, are acknowledged or
/// void, beside the commits of later turns, and as a whole: a state between two turns. The shard does not write a table that it
/// has asked for before it has it. A table exists once its first snapshot is complete.
///
/// **Deletion** is a write. Its turn frees the table's name; the engine frees the room in its own time, a bounded amount in each
/// step.
///
/// **Expiry.** The engine finds tables that nobody has used for as long as it was opened with, by the time for which daemons have
/// run, which it keeps, and by no date. It answers each to the shard to which tables of this name belong
/// (``ShardMachine/shard(ofTable:among:)``). That deletes it by a turn, unless it is in use.
///
/// **Revocations.** The journal keeps one document of what is revoked of signed tokens. It is replaced by a write of any shard's turn,
/// and read once, when the journal is opened: by then a former owner can replace it no more.
///
/// Answers to a shard arrive in the order of their events; loads are answered by themselves.
public protocol Journal: AnyObject, Sendable {
  /// Opens the journal, once.
  ///
  /// - Parameters:
  ///   - shards: The number of shards.
  ///   - newKey: The key that seals what tables give out, for a journal that has none yet.
  ///   - answer: Receives an answer to the shard of an index, on a thread of the journal, which does not wait for anything.
  ///   - report: Receives what concerns all, in the same way.
  /// - Returns: What is in it.
  /// - Throws: ``JournalError`` if it cannot be opened.
  func open(
    for shards: Int, newKey: AccessKey, answer: @escaping @Sendable (_ shard: Int, JournalAnswer) -> Void,
    report: @escaping @Sendable (JournalEvent) -> Void
  ) async throws -> OpenedJournal

  /// Sends a turn, and returns at once. Any thread may call it, each shard's in the order of its turns.
  func send(_ turn: JournalTurn)

  /// Ends the part of a shard: it has sent all its turns. The journal ends after all shards.
  func leave()

  /// Returns whether there is a table of this name, as far as turns are acknowledged. Any thread may call it; it may wait for
  /// the disk, and for no commit.
  func contains(tableNamed name: String) throws(JournalError) -> Bool

  /// Takes over limits that were read again.
  func reload(_ limits: SyncLimits.Journal)

  /// Waits until all shards have left, and the journal has made durable what it can and is closed. Returns at once if it was
  /// not opened.
  func ended() async
}

/// What a journal has when it is opened.
public struct OpenedJournal: Sendable {
  /// The number of tables.
  public let tables: Int
  /// The key that seals what the tables give out. It is the journal's: what was given out is good for as long as the tables are.
  public let accessKey: AccessKey
  /// The document of what is revoked of signed tokens; `nil` if there is none.
  public let revocations: [UInt8]?

  public init(tables: Int, accessKey: AccessKey, revocations: [UInt8]? = nil) {
    (self.tables, self.accessKey, self.revocations) = (tables, accessKey, revocations)
  }
}

/// What a journal answers to a shard.
public enum JournalAnswer: Sendable {
  /// All turns up to this one are durable. The second value is the size in bytes of those that became so now.
  case acknowledged(TurnNumber, bytes: Int)
  /// Turns cannot be made durable. Those that are not acknowledged are void if the generation is new.
  case failed(JournalError, generation: Int)
  /// Turns can be made durable again.
  case recovered
  /// Nobody has used the table for so long that it is to be deleted, unless it is in use now; in a dry run it is only to be named.
  case expired(String, isDryRun: Bool)
}

/// What a journal reports to its daemon, for figures and the log.
public enum JournalEvent: Sendable {
  /// A group of turns was made durable.
  case committed(turns: Int, writes: Int, bytes: Int, nanoseconds: UInt64)
  /// Turns cannot be made durable, and could before. Unless the failure may pass, only a restart helps.
  case failed(JournalError, mayPass: Bool)
  case recovered
  /// Something that was acknowledged, or sent to clients under `relaxed`, is lost.
  case lost
  /// The journal is closed. This number of turns could not be made durable.
  case ended(unwritten: Int)
}
