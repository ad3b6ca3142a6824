// All limits of Baize that concern more than one layer, by name. (Those of sockets and their buffers are
// `TransportLimits`, since the transport knows nothing of tables.) The unit is last in a name; a name without one is a
// count. `Protocol/limits.md` lists them with what happens at each; `baized --help` lists those that an operator may
// change.

// MARK: - Tables

/// The limits of one table and one operation. Reaching one refuses the operation and changes nothing else.
public enum TableLimits {
  /// The maximum number of one person's sessions at a table; the one that was disconnected longest makes room: `TABLE_FULL`.
  public static let sessionsPerPersonMax = 8
  /// The maximum number of sessions that ask for a seat and are named to the members, those that have waited longest.
  public static let askingSessionsMax = 8
  /// The maximum number of items that one operation may name or make: `TOO_MANY_ITEMS`. At most
  /// ``ItemID/provisionalNumbersMax``, so that each can be named.
  public static let itemsPerOperationMax = 500
  /// The maximum size in bytes, measured as `TableState.shownBytes(of:)`, of the items that one operation makes or shows:
  /// those that it inserts, copies, changes or brings back, that an action names, and that are turned or become visible
  /// or hidden: `TOO_MANY_ITEMS`. An operation and its diff then fit into a frame.
  public static let operationFaceBytesMax = 256 << 10
  /// The maximum size in bytes, measured as `TableState.shownBytes(of:)`, of the items that one operation removes:
  /// `TOO_MANY_ITEMS`. Freeing memory takes time.
  public static let removedFaceBytesMax = 4 << 20
  /// The maximum number of items that the steps of one operation may move together, however many the collections hold:
  /// `TOO_MANY_ITEMS`.
  public static let stepItemsMax = 500
  /// The maximum number of items that a count with a condition looks at. A count of more has no value.
  static let countedItemsMax = 500
  /// The maximum number of items and actions that are tried when the time is up. If none of them succeeds, nothing happens.
  package static let expiryTriesMax = 64
  /// The maximum size in bytes of a text that steps read of a moved item. A longer one is no value for them, so that no
  /// variable grows with what participants write.
  static let stepTextBytesMax = 256
  /// The default of ``TableType/faceBytes``, measured as ``Face/contentBytes``: a larger face is refused `TEXT_TOO_LONG`.
  public static let faceBytes = 1 << 10
  /// The number of bytes that count as one of ``operationFaceBytesMax`` where each face counts the same.
  static let operationBytesDivisor = 12
  /// The maximum number of items on one table: `TABLE_SIZE`.
  public static let itemsPerTableMax = 2_000_000
  /// The maximum number of collections that items of one table open at the same time: `TABLE_SIZE`.
  public static let openedCollectionsMax = 16_384
  /// The maximum number of collections that items of one table ever open: `TABLE_SIZE`. A handle is never used again, so that
  /// those of removed collections count. At the mark a table opens no more, and keeps those that it has.
  public static let openedHandlesMax = 1 << 17
  /// The size in bytes that ``TableState/contentBytes`` counts for each collection that an item opened, removed or not.
  static let collectionContentBytes = 64
  /// The maximum number of aliases of one item: `TABLE_SIZE`.
  public static let aliasesPerItemMax = 32
  /// The maximum number of aliases on one table: `TABLE_SIZE`.
  public static let aliasesPerTableMax = 10_000
  /// The size in bytes that ``TableState/contentBytes`` counts for an alias besides what every item counts.
  static let aliasContentBytes = 128
  /// The number of ids after which a table makes no more items: `TABLE_SIZE`. Half of those that there are: the others are
  /// for items that become hidden.
  static let idsMax: UInt64 = 1 << 50
  /// The size in bytes that ``TableState/contentBytes`` counts for an item besides its face: about its use of memory.
  public static let itemContentBytes = 192
  /// The size in bytes that ``TableState/contentBytes`` counts for an attribute or representation besides its texts and
  /// data.
  public static let partContentBytes = 24
  /// The maximum number of attributes of one item: `TABLE_SIZE`.
  public static let attributesPerItemMax = 64
  /// The maximum age, in revisions, of the base of an operation: `RETRY`, `STALE_BASE`.
  public static let historyRevisionsMax = 1_024
  /// The age in revisions, and the number of take-outs, to which the history is cut while memory is short.
  static let historyRevisionsShort = 64
  static let historyTakeOutsShort = 2_048
  /// The memory that is charged for each byte of a face, as ``Face/contentBytes`` measures it: short texts take more than their
  /// bytes.
  static let memoryPerFaceByte = 2
  /// The memory that is charged for each byte of a table type's document, and for each of its collections.
  static let memoryPerDocumentByte = 4
  static let memoryPerCollection = 256
  /// The memory that is charged for each attribute or representation of a face besides.
  static let memoryPerFacePart = 32
  /// The memory that is charged for each item in the lists that a frozen state has for itself: of the pages of items and faces.
  static let listBytesPerItem = 4
  /// The default of ``HistoryLimits/takeOutsMax``.
  public static let historyTakeOutsMax = 32_768
  /// The maximum number of positions of one gap that are looked at (N2, N4).
  static let positionsPerGapMax = 500
  /// The maximum number of an author's pending operations whose outcomes are remembered; the oldest half is forgotten.
  public static let memoryEntriesMax = 4_096
  /// The maximum number of remembered ids of items that one author's operations made; the oldest are forgotten.
  public static let memoryItemsMadeMax = 65_536
  /// The default of ``HistoryLimits/undoNotesMax``.
  public static let undoNotesMax = 4_096
  /// The default of ``HistoryLimits/undoTakeOutsMax``.
  public static let undoTakeOutsMax = 4_096
  /// The default of ``HistoryLimits/undoBytesMax``.
  public static let undoBytesMax = 1 << 20
  /// The number of take-outs, and of notes for undo, that each revision counts where views differ, whatever it has.
  public static let changesPerRevision = 64
}

/// The limits of what a table remembers of its last diffs.
///
/// Where views differ, each revision counts ``TableLimits/changesPerRevision`` take-outs and as many notes, whatever it has, and so
/// these limits are numbers of revisions: nobody may notice what others do privately.
public struct HistoryLimits: Hashable, Sendable, BitwiseCopyable {
  /// The maximum number of take-outs in the history, whatever the number of revisions: `RETRY`, `STALE_BASE`.
  public var takeOutsMax = TableLimits.historyTakeOutsMax
  /// The maximum number of take-outs since an operation that can still be undone.
  public var undoTakeOutsMax = TableLimits.undoTakeOutsMax
  /// The maximum number of notes, kept for undo, on changes other than moves.
  public var undoNotesMax = TableLimits.undoNotesMax
  /// The maximum size in bytes of the former faces and values kept for undo, each face as ``TableType/faceBytes`` if the type has
  /// that. Where views differ, it is not counted.
  public var undoBytesMax = TableLimits.undoBytesMax

  /// Creates the default limits.
  public init() {}
}

// MARK: - Table types

/// The limits of a table type's document. A document may come from a stranger: to a daemon from its operator, or to a
/// client from the daemon. Exceeding one is a mistake that the checker names.
package enum DocumentLimits {
  package static let documentBytesMax = 256 * 1024
  /// The maximum nesting depth of values.
  package static let depthMax = 64
  /// The maximum ``TableType/faceBytes`` that a document declares.
  package static let faceBytesMax = 17 << 10
  /// The maximum number of mistakes that are reported at once.
  package static let mistakesMax = 1_000
  /// The work after which `baized check` tries no more values of options, in values that are read.
  package static let checkStepsMax = 2_000_000
  /// The number of mistakes after which the checker no longer looks for the intended word.
  package static let hintsMax = 64

  /// The largest integer that every JSON reader keeps exact: 2⁵³ − 1.
  package static let integerMax: Int64 = 9_007_199_254_740_991
  package static let nameLengthMax = 64
  package static let contentTypeLengthMax = 127
  /// The maximum length of titles and details, in Unicode scalars.
  package static let sentenceLengthMax = 256

  package static let seatsMax = 256
  /// The maximum of the time for which a type says that seats are kept: a year.
  package static let seatKeptSecondsMax = 31_536_000
  package static let optionsMax = 32
  package static let optionTextBytesMax = 1_024
  package static let choicesMax = 64
  package static let variablesMax = 256
  package static let collectionsMax = 1_024
  /// The largest number among the members of a family, and at the ends of a range in a product.
  package static let memberMax: Int64 = 1_000_000
  /// The maximum number of conditions; those of a check count again at each use.
  package static let conditionsMax = 4_096
  /// The maximum number of deals, one for each member of a family.
  package static let dealsMax = 4_096
  /// The maximum number of items in all decks together.
  package static let itemsMax = 1_000_000
  /// The maximum number of values that are read again for each seat, counted once for each reading.
  package static let valuesOfSeatsMax = 500_000

  /// The maximum number of attributes among which a title is looked for, and of parts of a card's face.
  package static let shownAttributesMax = 4
  /// The maximum number of values for which `show` has a text or a color.
  package static let shownValuesMax = 64
  /// The maximum length of a text on a card's face, in Unicode scalars.
  package static let faceTextLengthMax = 16

  /// The maximum number of paragraphs that say how a game is played.
  package static let rulesParagraphsMax = 16

  /// The maximum time of a turn, and of a table, in seconds.
  package static let timeLimitSecondsMax: Int64 = 86_400

  /// The maximum number of compiled table types in a cache.
  package static let cachedTypesMax = 64
}

// MARK: - The wire

/// The limits of messages.
///
/// A client's operation that exceeds one of these is refused, and costs its author nothing else (``OperationDefect``); a hello
/// is answered with a goodbye; and what is only for display or for people is left out. Only a frame that is too long ends a
/// connection. The daemon's messages are bounded by the size of its frames alone.
public enum WireLimits {
  // MARK: Frames, without their length field

  /// The default maximum size of a frame from a client.
  public static let frameBytesMax = TableLimits.operationFaceBytesMax
  /// The maximum size of a frame from the daemon.
  public static let serverFrameBytesMax = 4 << 20

  // MARK: Items

  /// The maximum number of items in a drag; the others are dropped.
  public static let dragItemsMax = TableLimits.itemsPerOperationMax
  /// The maximum number of attributes of one item: `TABLE_SIZE`.
  public static let itemAttributesMax = TableLimits.attributesPerItemMax
  /// The maximum number of representations of one item: `TABLE_SIZE`.
  public static let itemRepresentationsMax = 16

  // MARK: Texts, in bytes of UTF-8

  /// The maximum length of an attribute's name: `TEXT_TOO_LONG`.
  public static let attributeNameBytesMax = 64
  /// The maximum length of an attribute's text: `TEXT_TOO_LONG`.
  public static let attributeTextBytesMax = 16 << 10
  /// The maximum length of a representation's content type: `TEXT_TOO_LONG`.
  public static let contentTypeBytesMax = 128
  /// The maximum length of an action's name: `UNKNOWN_ACTION`.
  public static let actionBytesMax = 64

  /// The maximum length of a table's name: `BAD_TABLE_ID`.
  public static let tableBytesMax = 64
  /// The maximum length of a table type's name with its options: `UNKNOWN_TYPE`.
  public static let tableTypeBytesMax = 1 << 10
  /// The maximum length of a participant's name: `BAD_NAME`.
  public static let nameBytesMax = 64
  /// The maximum length of an invite: `INVITE_INVALID`.
  public static let inviteBytesMax = 128
  /// The length of a credential, unless it is empty: `BAD_CREDENTIAL`.
  public static let credentialBytes = 32
  /// The maximum length of a session's name: `BAD_CREDENTIAL`.
  public static let sessionNameBytesMax = 16
  /// The maximum length of a ticket: `BAD_CREDENTIAL`.
  public static let ticketBytesMax = 128
  /// The maximum length of a signed token: `TOKEN_REFUSED`.
  public static let signedTokenBytesMax = 4 << 10

  /// The maximum length of a participant's own value of presence; a longer one is dropped.
  public static let presenceBytesMax = 256
  /// The maximum length of the kind of a message to the table: `TEXT_TOO_LONG`.
  public static let chatKindBytesMax = 32
  /// The maximum length of a message to the table: `TEXT_TOO_LONG`.
  public static let chatTextBytesMax = 1 << 10
  /// The maximum length of a reason code.
  public static let reasonBytesMax = 64
  /// The maximum length of a sentence for people, such as a goodbye's detail.
  public static let detailBytesMax = 1 << 10
  /// The maximum length of the address that a goodbye redirects to.
  public static let redirectBytesMax = 256
}

// MARK: - Sessions and the tables of a daemon

/// The configurable limits of sessions, tables and connections, with their defaults. Each has a reason code of its own,
/// which the client receives at the limit.
public struct SyncLimits: Sendable {
  /// The limits of connections.
  public var connections = Connections()
  /// The limits of sessions.
  public var sessions = Sessions()
  /// The limits of tables.
  public var tables = Tables()
  /// The limits of the journal.
  public var journal = Journal()

  /// Creates the default limits.
  public init() {}

  /// The limits of connections.
  public struct Connections: Sendable {
    /// The maximum size of a frame from a client: `FRAME_TOO_LARGE`.
    public var frameBytesMax = WireLimits.frameBytesMax
    /// The maximum time from connect to hello: `TIMEOUT`.
    public var handshakeSeconds: UInt64 = 10
    /// The maximum interval between two messages of a client; after three times that in silence it is disconnected:
    /// `TIMEOUT`.
    public var heartbeatSeconds: UInt64 = 15
    /// The high-water mark of a connection's unsent bytes above which drag movements and messages to the table are dropped, and
    /// values of presence wait.
    public var outboxSoftBytes = 256 << 10
    /// The high-water mark of a connection's unsent bytes above which diffs are dropped, to be replaced by one snapshot.
    public var outboxHardBytes = 1 << 20
    /// The low-water mark of a connection's unsent bytes at which the snapshot producer resumes.
    public var outboxResumeBytes = 64 << 10
    /// The minimum number of bytes that a client with unsent bytes must take within ``stalledSeconds``, unless it takes
    /// all: `SLOW`.
    public var stalledBytesMin = 16 << 10
    /// The period in which a client must take ``stalledBytesMin``: `SLOW`.
    public var stalledSeconds: UInt64 = 30
    /// The minimum number of bytes per second that a client must take of a snapshot, not counting the time for which it waits
    /// for the daemon and ``loadingGraceSeconds``: `SLOW`.
    public var loadingBytesPerSecondMin = 64 << 10
    /// The time for which a client may take a snapshot more slowly.
    public var loadingGraceSeconds: UInt64 = 10
    /// The maximum number of timed-out connections closed per sweep.
    public var dismissalsPerTickMax = 32
    /// The maximum number of bytes that a connection may send while its table is loaded or created: `SLOW`.
    public var waitingBytesMax = 64 << 10
    /// The time that clients are asked to wait before they reconnect after a stop.
    public var returnMilliseconds: UInt32 = 1_000
    /// The same where another node serves them.
    package static let returnMillisecondsOfNode: UInt32 = 250
  }

  /// The limits of sessions.
  public struct Sessions: Sendable {
    /// The time after which a seat whose session has no connection counts as absent. It is kept for at least that long.
    public var graceSeconds: UInt64 = 60
    /// The maximum time that a seat is kept for a session without a connection, whatever the table's type says.
    public var seatKeptSecondsMax: UInt64 = 30 * 24 * 3_600
    /// The time that a session without a connection is remembered; after it a new one begins.
    public var sessionSeconds: UInt64 = 30 * 24 * 3_600
    /// The maximum number of sessions of one table; those without seat and connection make room: `TABLE_FULL`.
    public var sessionsPerTableMax = 10_000
    /// The maximum number of pending operations of a session: `RETRY`, `TOO_MANY_PENDING`. As many outcomes are
    /// remembered.
    public var pendingOperationsMax = AuthorMemory.answersMaxDefault
    /// The maximum mean rate of a session's operations per second; 0 for no limit: `RETRY`, `RATE_LIMITED`.
    public var operationsPerSecondMax: UInt64 = 50_000
    /// The maximum number of operations at once beyond the mean rate.
    public var operationsBurstMax: UInt64 = 50_000
    /// The maximum number of drag movements per second that are passed on for one session; others are dropped.
    public var dragMovesPerSecondMax: UInt64 = 30
    /// The maximum number of drags per second that one session may begin, and of those begun at once; others are refused.
    public var dragsPerSecondMax: UInt64 = 10
    /// The maximum number of values of presence per second that are passed on for one session, and of those at once; beyond it,
    /// the last one is passed on within a second or so.
    public var presencesPerSecondMax: UInt64 = 20
    /// The maximum mean rate of a session's messages to the table per second; 0 for no limit: `RATE_LIMITED`.
    public var chatsPerSecondMax: UInt64 = 2
    /// The maximum number of messages to the table at once beyond the mean rate.
    public var chatsBurstMax: UInt64 = 5
    /// The maximum time that a drag reserves its items.
    public var claimSeconds: UInt64 = 10
    /// The maximum number of items in a drag; the others are dropped.
    public var itemsPerDragMax = WireLimits.dragItemsMax
  }

  /// The limits of tables, in memory and in the journal.
  public struct Tables: Sendable {
    /// The maximum number of tables in memory on one shard: `TOO_MANY_TABLES`.
    public var tablesPerShardMax = 100_000
    /// The maximum number of tables in memory on one shard that clients of one address have created since the daemon
    /// started: `TOO_MANY_TABLES`.
    public var tablesPerAddressMax = 10_000
    /// The maximum mean rate at which clients of one address may create tables on one shard, per second; 0 for no limit:
    /// `TOO_MANY_TABLES`.
    public var tablesPerSecondMax: UInt64 = 10
    /// The maximum number of tables at once beyond the mean rate.
    public var tablesBurstMax: UInt64 = 1_000
    /// The maximum number of values of presence per second that are passed on at one table, and of those at once.
    public var presencesPerSecondMax: UInt64 = 200
    /// The maximum number of messages to one table per second, and of those at once; 0 for no limit: `RATE_LIMITED`.
    public var chatsPerSecondMax: UInt64 = 20
    /// The maximum number of times in a row that a table's time may be up without an operation of a participant between them;
    /// then its time stops until there is one.
    public var expiriesInARowMax = 20
    /// The least time, in seconds, that is left when a table's time continues because a player is there again.
    public var resumedSecondsMin: UInt64 = 5
    /// The maximum number of items on one table: `TABLE_SIZE`. At most ``TableLimits/itemsPerTableMax``.
    public var itemsPerTableMax = TableLimits.itemsPerTableMax
    /// The maximum ``TableState/contentBytes`` of one table: `TABLE_SIZE`.
    public var contentBytesPerTableMax = 512 << 20
    /// The maximum ``TableState/contentBytes`` of all tables in memory on one shard: `TOO_MANY_TABLES` for another table,
    /// and `TABLE_SIZE` for a table that would exceed its share.
    public var contentBytesPerShardMax = 2 << 30
    /// The maximum number of items that one operation may name or make: `TOO_MANY_ITEMS`. At most
    /// ``TableLimits/itemsPerOperationMax``.
    public var itemsPerOperationMax = TableLimits.itemsPerOperationMax
    /// The limits of what a table remembers of its last diffs.
    public var history = HistoryLimits()
    /// The time that a table without members stays in memory if the journal has it.
    public var unloadSeconds: UInt64 = 300
    /// The time after which a table without members is discarded, with everything on it, if there is no journal.
    public var discardSeconds: UInt64 = 24 * 3_600
    /// The maximum number of items in one part of a snapshot.
    public var snapshotPartItemsMax = 1_000
    /// The approximate maximum size in bytes of one part of a snapshot. An item is never divided.
    public var snapshotPartBytesMax = 48 << 10
    /// The size in bytes of what a turn writes of a new table's first snapshot. A larger one takes several commits.
    public var newTableBytesPerTurnMax = 1 << 20
    /// The maximum number of states of one table that are frozen for snapshots of more than one part, besides the journal's and
    /// those of the holders of seats where views differ; other members wait.
    public var frozenStatesMax = 4
    /// The maximum number of catch-up parts, of snapshots or of the diffs after them, that a shard makes per turn.
    public var snapshotPartsPerTurnMax = 8
    /// The size in bytes of the records that one catch-up part reads.
    public var tailBytesReadMax = 64 << 10
    /// The maximum size in bytes of one record in the journal. A longer one is divided between entries.
    public var recordBytesMax = 4 << 20
    /// The size in bytes of a table's records after which the journal gets a snapshot, unless the last snapshot was
    /// larger.
    public var snapshotAfterBytes = 64 << 10
    /// The maximum size in bytes of a table's latest records that are kept in memory for members that catch up.
    public var logBytesMax = 256 << 10
    /// The same limit while a member is loading, which needs all records since its snapshot began.
    public var logBytesWhileLoadingMax = 4 << 20
  }
}

extension SyncLimits {
  /// The limits of the journal. The units are bytes of records and snapshots, without SQLite's overhead of some tenth,
  /// except for ``bytesMax`` and ``reserveBytes``.
  public struct Journal: Sendable {
    /// The maximum size of the journal's file, without unused pages and the write-ahead log: `STORAGE`.
    public var bytesMax = 64 << 30
    /// The free space that the journal leaves on its disk: `STORAGE`. `nil` for `ServerLimits.journalReserveBytes`, or a
    /// hundredth of the file system if that is less.
    public var reserveBytes: Int?
    /// The size of one table's history from which older history is deleted, at the end of a snapshot. The last snapshot and
    /// what follows it always stay.
    public var bytesPerTableMax = 256 << 20
    /// The maximum number of bytes that the clients of one address may have written to the journal on one shard: `STORAGE`.
    /// As many are forgotten, evenly, within ``bytesPerAddressSeconds``.
    public var bytesPerAddressMax = 4 << 30
    /// The time in which ``bytesPerAddressMax`` is forgotten.
    public var bytesPerAddressSeconds: UInt64 = 86_400

    /// Creates the default limits.
    public init() {}
  }
}

// MARK: - The daemon's host

/// The limits of the daemon's host, with their defaults.
public enum ServerLimits {
  /// The port of `baized` without `--listen`.
  package static let port: UInt16 = 7777
  package static let shardsMax = 256
  /// The maximum number of connections: `TOO_MANY_CONNECTIONS`.
  public static let connectionsMax = 100_000
  /// The maximum number of connections from one address: `TOO_MANY_CONNECTIONS`.
  public static let connectionsPerAddressMax = 1_000
  /// The number of descriptors kept free for listeners, selectors, files and connections that are being rejected.
  package static let descriptorReserve = 256
  /// The maximum size in bytes of the log's lines that wait for standard error; others are dropped and counted.
  package static let logQueueBytesMax = 1 << 20
  /// The maximum time that the end of a program waits for the log's lines to be written.
  package static let logFlushMilliseconds = 1_000
  /// The maximum number of rejected connections that are sent a goodbye at the same time; others are closed without
  /// one.
  package static let rejectedConnectionsMax = 128
  /// The maximum size of a connection's first frame, which must be a hello: `FRAME_TOO_LARGE`.
  public static let helloBytesMax = 16 << 10
  /// The maximum number of hellos that a shard processes per turn; others wait for the next. Few, since players wait
  /// meanwhile.
  package static let hellosPerTurnMax = 1
  /// The maximum number of signed tokens of a shard that wait to be verified: `SLOW`, resumable.
  package static let tokensWaitingMax = 1_024
  /// The maximum number of those that one address may have: `SLOW`, resumable.
  package static let tokensWaitingPerAddressMax = 128
  /// The time after which a signed token that is refused is answered, whatever is wrong with it.
  package static let tokenRefusalMilliseconds: UInt64 = 20
  /// The time after which a signed token that still waits is not verified any more: `SLOW`, resumable. Its client has given up.
  package static let tokenWaitMilliseconds: UInt64 = 10_000
  /// The time by which a revocation may end late.
  package static let revocationEndNanoseconds: UInt64 = 1_000_000_000
  /// The maximum number of signed tokens that are remembered as right until they end, each in less than 1 KiB mostly.
  package static let tokensRememberedMax = 10_000
  /// The maximum number of those of one person.
  package static let tokensRememberedPerPersonMax = 8
  /// The maximum number of signed tokens of an address that are refused within a minute; further ones are not verified: `SLOW`,
  /// resumable.
  package static let tokensRefusedPerAddressMax = 100
  /// The maximum number of addresses of which refused tokens are counted.
  package static let tokenAddressesMax = 10_000
  /// The maximum number of persons and tokens that are revoked.
  package static let revocationsMax = 10_000
  /// The maximum time of a revocation, in seconds: ten years.
  package static let revocationSecondsMax: Int64 = 315_360_000
  /// The maximum size of the document that keeps what is revoked, in a file or in the journal.
  package static let revocationBytesMax = 16 << 20
  /// The maximum number of changes to what is revoked that wait for the journal.
  package static let revocationChangesWaitingMax = 16
  /// The work of admitting a connection that has waited for its table, in units of ``turnWorkMax``, besides what is encoded
  /// for it.
  package static let admissionWork = 64
  /// The work of compiling the document of a table's type, in units of ``turnWorkMax``.
  package static let compilationWork = 512
  /// The maximum number of initial items of a table that is created within a turn; a larger one is created
  /// concurrently.
  package static let setUpItemsAtOnceMax = 2_000
  /// The work that a turn of a shard may do beyond the shares of its tables, in units of about one item or 64 bytes.
  /// The surplus waits for the next turn.
  package static let turnWorkMax = 1_024
  /// The share of each table in the work of a turn, in the same units.
  package static let tableWorkMax = 256
  /// The work that the shares of all tables may do in a turn, in the same units. If more tables are active, they take turns.
  package static let sharesWorkMax = 10_240
  /// The maximum number of connections, tables and sessions that a turn checks for timeouts.
  package static let sweepVisitsMax = 4_096
  /// The number of visits for which a unit of work counts that a sweep does on a table whose time is up.
  package static let visitsPerWork = sweepVisitsMax / turnWorkMax
  /// The memory that a sweep may give up or move in place of a visit, in bytes.
  package static let bytesPerVisit = 4 << 10
  /// The maximum number of tables without members that a turn looks at, and unloads.
  package static let unloadVisitsMax = 64
  /// The maximum size in bytes of what one turn judges and encodes: large faces make large diffs.
  package static let turnBytesMax = 4 << 20
  /// The maximum number of frames that a turn receives of quiet tables, of which no frame waits, once it has reached
  /// ``turnBytesMax`` or has used up its work.
  package static let quietFramesMax = 128
  /// The maximum number of these frames of one table.
  package static let quietFramesPerTableMax = 4
  /// The maximum size in bytes of such a frame.
  package static let quietFrameBytesMax = 256
  /// The maximum work of such a frame, in units of ``turnWorkMax``.
  package static let quietWorkMax = 32
  /// The maximum size in bytes of what such frames add to a turn, but for the last one.
  package static let quietBytesMax = 256 << 10
  /// The number of unsent bytes beyond ``SyncLimits/Connections/outboxHardBytes`` at which a connection is closed: frames that
  /// were published before the mark was passed, mostly while the journal was slow.
  package static let queuedBeyondMarkMax = 2 * turnBytesMax
  /// The number of unsent bytes above which a connection's queue is checked after each turn.
  package static let backlogWatchBytes = 16 << 10
  /// The high-water mark, in bytes, of the turns that a shard has sent to the journal and that are not durable yet. Above it the
  /// shard stops reading (backpressure). A stalled disk costs this much memory, plus the frames that wait for it.
  public static let unwrittenBytesMax = 32 << 20
  /// The size in bytes of what one commit makes durable; one turn may exceed it. The rest waits for the next commit.
  package static let commitBytesMax = 1 << 20
  /// The number of bytes that are not durable yet above which the journal is busy: snapshots that nobody waits for are written
  /// when it is not.
  package static let unwrittenBusyBytes = 1 << 20
  /// The maximum time that a turn with something to write is extended while more messages arrive.
  package static let gatherNanosecondsMax: UInt64 = 1_000_000
  /// The memory that is charged for a connection, for the account of an address, and for a table besides its contents.
  package static let connectionBytes = 1 << 10
  package static let accountBytes = 256
  /// The memory of a spectator's session, in bytes, above which it may be disconnected and forgotten while memory is short.
  package static let spectatorBytesMax = 16 << 10
  /// The size of what a connection has sent and the daemon has not received, such as a part of a frame, in bytes, above which it
  /// may be disconnected while memory is short.
  package static let unreceivedBytesMax = 16 << 10
  /// The number of deliveries of a turn beyond which those to small tables are written before those to large ones.
  package static let crowdMin = 64
  package static let tableBytes = 4 << 10
  /// The size of a table's contents, in bytes, up to which it may always grow and be loaded, as far as the floors of its creator's tables
  /// are within that address's share of the reserve for them.
  package static let tableFloorBytes = 64 << 10
  /// The part of ``SyncLimits/Tables/contentBytesPerShardMax`` that floors may take beyond it, as a divisor.
  package static let floorsDivisor = 8
  /// The maximum number of accounts that are charged for one table; further ones share one.
  package static let chargesPerTableMax = 64
  /// The change of a table's contents, in bytes, after which accounts are charged for it, besides at the sweep.
  package static let unsettledBytesMax = 16 << 10
  /// The change of a table's contents, in bytes, after which the journal gets who is charged for them.
  package static let unrecordedChargesMax = 256 << 10
  /// The change of a connection's queue, in bytes, after which its account is charged for it.
  package static let heldStepBytes = 16 << 10
  /// The change of an account's memory on one shard, in bytes, after which the other shards know of it, besides at the sweep.
  package static let accountStepBytes = 1 << 20
  /// What an account may be away from its share, in bytes, when operations are looked at for it.
  package static let sharesSlackBytes = 4 << 20
  /// The part of the memory that counts as free at least where an account's history and sessions are compared with its share, as a
  /// divisor: an account may always hold a 64th of the memory of each.
  package static let leastFreeDivisor = 8
  /// The multiple of what is free that the /48 of an address of IPv6 may hold: a provider may serve 256 customers from it.
  package static let siteWeight = 4
  /// The maximum number of addresses of which a shard keeps an account: those whose clients created tables in memory, or had bytes
  /// written that are not forgotten. Others share one account.
  package static let accountsMax = 65_536
  /// The bytes that a table may have recorded, and by which what it remembers may have grown, since it was last charged, besides at
  /// the sweep.
  package static let unchargedRecordBytesMax = 64 << 10
  package static let unchargedHistoryBytesMax = 64 << 10
  /// The maximum number of threads that create tables, and read them from the journal.
  package static let tableWorkersMax = 4
  /// The size in bytes of a table's contents up to which it is created, or read from the journal, beside others: about 20 ms
  /// of work. One larger table is at a time.
  package static let smallTableBytesMax = 4 << 20
  /// The interval between attempts to write to a failed disk.
  package static let journalRetryNanoseconds: UInt64 = 1_000_000_000
  /// The maximum number of connections whose handshake of TLS has not begun, and the maximum number of those with one. The one
  /// that is the oldest is closed for a new one. OpenSSL takes some 50 KiB for a handshake.
  package static let tlsNewcomersMax = 4_096
  package static let tlsHandshakesAtOnceMax = 512
  /// The maximum number of handshakes of TLS in a second. Each takes some 0.3 to 2 ms of a core, by the kind of the key.
  public static let tlsHandshakesPerSecondMax = 1_000
  /// The maximum number of handshakes of TLS in a second with one address; others wait.
  public static let tlsHandshakesPerAddressMax = 100
  /// The interval in which its part of these is begun.
  package static let tlsIntervalNanoseconds: UInt64 = 100_000_000
  /// The time before the end of a certificate from which the log warns of it.
  package static let tlsWarningSeconds = 14 * 86_400
  /// The maximum number of connections at the address for browsers that are no WebSockets. The one whose last request is the
  /// longest ago is closed for a new one.
  package static let httpConnectionsMax = 1_024
  /// The maximum number of connections at the operator's address that have shown its token, and of WebSockets with its tickets.
  package static let adminConnectionsMax = 64
  /// The maximum number of connections at the operator's address that have not shown its token. The one whose last request is
  /// the longest ago is closed for a new one.
  package static let adminStrangersMax = 64
  /// The time that such a connection has for a request and for a response, and that it may rest between two requests.
  package static let adminStrangerSeconds: UInt64 = 5
  /// The size of unsent responses above which no table is exported at the operator's address.
  package static let adminQueuedBytesMax = 256 << 20
  /// The maximum size of a table's contents, in bytes, that is exported over HTTP.
  package static let exportBytesMax = 64 << 20
  /// The maximum number of items of a table that moves to another document while others of its shard are served.
  package static let migratedItemsMax = 20_000
  /// The time without a turn after which a shard is not healthy.
  package static let unhealthyNanoseconds: UInt64 = 10_000_000_000
  /// The maximum number of accounts of each kind in a report for the operator.
  package static let accountsListedMax = 16
  /// The interval between two lines of the log about the same share of the same address.
  package static let shareLogNanoseconds: UInt64 = 60_000_000_000
  /// The time for which a shard knows why a table could not be loaded that an operator asked for, until the operator asks again.
  package static let loadFailureSeconds: UInt64 = 60
  /// The maximum number of tables that a shard lists in one turn for an operator.
  package static let tablesListedPerTurnMax = 1_024
  /// The default of ``SyncLimits/Journal/reserveBytes`` on a large file system.
  public static let journalReserveBytes = 64 << 20
  /// The bytes that a connection may have written before its address is charged for them, between the sweeps that charge
  /// for all.
  package static let unchargedBytesMax = 256 << 10
  /// The interval between checks that the journal's file is still there.
  package static let journalCheckNanoseconds: UInt64 = 1_000_000_000
  /// The interval between searches of the journal for tables that have expired.
  package static let expiryNanoseconds: UInt64 = 600_000_000_000
  /// The maximum age of the statistics that other threads read.
  package static let statisticsNanoseconds: UInt64 = 10_000_000
  /// The interval between sweeps for timeouts.
  package static let tickNanoseconds: UInt64 = 1_000_000_000
  /// The interval between sweeps while more is due than one sweep handles.
  package static let shortTickNanoseconds: UInt64 = 5_000_000
  /// The maximum time that a stop waits for unsent frames.
  package static let stopNanoseconds: UInt64 = 3_000_000_000
  /// The maximum time that an operator's request waits for a shard.
  package static let operatorNanoseconds: UInt64 = 10_000_000_000
}

// MARK: - The client library

/// The limits of the client library, for each table.
public enum ClientLimits {
  /// The maximum time of an attempt to connect.
  public static let connectSeconds: UInt64 = 10
  /// The maximum number of a table's events that wait for one slow reader, each change of an event counted. Beyond it
  /// they are replaced by one `.reloaded`.
  public static let waitingEventsMax = 4_096
  /// The maximum size in bytes of a table's contents: a daemon's mistake must not take all memory. A larger table cannot be
  /// joined.
  public static let contentBytesMax = 1 << 30
  /// The maximum number of a table's variables.
  public static let variablesMax = 4_096
  /// The maximum number of others' drags that are kept; further ones are not shown.
  public static let dragsMax = 1_024
  /// The number of connections in a row that end with `MALFORMED` or `FRAME_TOO_LARGE` before the client gives up.
  public static let unreadableConnectionsMax: UInt64 = 8
  /// The interval between two such connections beyond which they are not counted as in a row.
  public static let unreadableSeconds: UInt64 = 300
  /// The minimum interval between two sent movements of a drag: slightly longer than the interval at which the daemon
  /// passes them on.
  public static let dragMoveMilliseconds: UInt64 = 34
  /// The number of items created by this client whose local ids it keeps, besides those on the table: an operation by the
  /// local id of an older one is refused `UNKNOWN_ITEM`.
  public static let localIDsMax = 65_536
  /// The maximum number of messages to the table that a model keeps.
  public static let chatsMax = 200
  /// The maximum number of other participants' values of presence that are kept; what a daemon sends beyond is ignored.
  public static let presenceMax = 4_096
  /// The minimum interval between two sent values of presence: slightly longer than the interval at which the daemon passes
  /// them on.
  public static let presenceMilliseconds: UInt64 = 55
  /// The time that a drag rests before its position is sent once more.
  public static let dragRestMilliseconds: UInt64 = 250
  /// The maximum number of operations that a `TableModel` keeps for undo, and for redo. Beyond it the oldest is dropped.
  public static let undoStepsMax = 100
  /// The number of drags that an app remembers, to recognize their items when they are dropped. There is one for each
  /// finger, and one of a drop whose contents are still being transferred.
  public static let liftsMax = 16
  /// The time after which an answer is written to a session store, if no operation is written before.
  public static let saveMilliseconds: UInt64 = 1_000
  /// The time after which a failed write to a session store is repeated.
  public static let saveAgainMilliseconds: UInt64 = 1_000
  /// The maximum size of an entry of a session store. A larger one is not read.
  public static let storedBytesMax = 256 << 20
  /// The number of answered operations whose outcomes a session store keeps: the last ones.
  public static let outcomesMax = 512
  /// The maximum number of created items that those outcomes name together. The oldest outcomes keep none.
  public static let outcomeItemsMax = 4_096
  /// The maximum length of an operation's id in bytes of UTF-8: `BAD_OPERATION_ID`.
  public static let operationIDBytesMax = 64
}

// MARK: - HTTP

/// The limits of HTTP requests and their connections. A head beyond its limits is answered with a status of its own, and its
/// connection is closed.
package enum HTTPLimits {
  /// The port of `baized` without `--http`.
  package static let port: UInt16 = 7780
  /// The maximum size of a request's first line: status 414.
  package static let requestLineBytesMax = 4 << 10
  /// The maximum size of a request's head: status 431.
  package static let headBytesMax = 16 << 10
  /// The maximum number of a request's header fields: status 431.
  package static let fieldsMax = 64
  /// The time for which a connection may wait between two requests.
  package static let idleSeconds: UInt64 = 30
  /// The time in which a client must take a response, or ``responseBytesMin`` of it.
  package static let responseSeconds: UInt64 = 60
  /// The number of bytes that a client must take of a long response in each ``responseSeconds``.
  package static let responseBytesMin: UInt64 = 1 << 20
  /// The number of bytes of frames that are unmasked at once, besides one larger frame.
  package static let unmaskedBytesMax = 16 << 10
  /// The number of frames that are unmasked at once.
  package static let unmaskedFramesMax = 256
  /// The work of a control frame, or of a frame that does not end a message, in units of ``ServerLimits/turnWorkMax``, besides
  /// its bytes.
  package static let frameWork = 2
}
