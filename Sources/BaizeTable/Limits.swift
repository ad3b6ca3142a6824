// Every bound of Baize, by name, in one place: what stands here is known to every layer. (Those of sockets and their
// buffers are `TransportLimits`, since the transport knows nothing of tables.) The unit stands last in a name; without one
// it is a count. `Protocol/README.md`, "Limits", has them with what who runs into one is told; `baized --help` has those
// that an operator may change.

// MARK: - Tables

/// The bounds of one table and one operation. Reaching one refuses the operation; nothing else changes.
public enum TableLimits {
  /// Items that one operation may name or make: `TOO_MANY_ITEMS`. At most `ItemID.provisionalNumbersMax`, so that each can
  /// be named.
  public static let itemsPerOperationMax = 1_000
  /// What may be on the items that one operation copies, or that an action is asked for, in bytes as
  /// ``TableState/contentBytes`` has it: `TOO_MANY_ITEMS`. The diff has room in a frame then.
  public static let operationFaceBytesMax = 3 << 20
  /// Items on one table: `TABLE_SIZE`.
  public static let itemsPerTableMax = 2_000_000
  /// What an item counts for besides its face, and each attribute or representation besides its texts and data, in bytes,
  /// where ``SyncLimits/contentBytesPerTableMax`` is reckoned: about what they take in memory, and more than on the wire.
  public static let itemContentBytes = 192
  public static let partContentBytes = 24
  /// Attributes on one item: `TABLE_SIZE`; more in one message is malformed.
  public static let attributesPerItemMax = 64
  /// How many revisions back the base of an operation may lie: `RETRY`, `STALE_BASE`.
  public static let historyRevisionsMax = 1_024
  /// How many taken-out items the history keeps, whatever the number of revisions: `RETRY`, `STALE_BASE`.
  public static let historyTakeOutsMax = 65_536
  /// How many notes are kept on items that one author's unanswered operations named; the oldest half is forgotten.
  public static let memoryEntriesMax = 4_096
  /// How many ids are remembered of what one author's unanswered operations made; the oldest are forgotten.
  public static let memoryItemsMadeMax = 65_536
  /// How many notes are kept of what operations did besides moving items, so that they can be undone.
  public static let undoNotesMax = 8_192
  /// How many items may have been taken out since an operation that is to be undone.
  public static let undoTakeOutsMax = 8_192
  /// How many bytes of former faces and values are kept for the same purpose.
  public static let undoBytesMax = 1 << 20
}

// MARK: - Table types

/// Every bound on what a table type's document may hold. A document may come from a stranger: a daemon's operator, or, to
/// a client, the daemon. Breaking one is a mistake that the checker names.
package enum DocumentLimits {
  package static let documentBytesMax = 256 * 1024
  /// How deep values may stand in one another.
  package static let depthMax = 64
  /// How many mistakes are reported at once.
  package static let mistakesMax = 1_000
  /// After so many mistakes nobody looks for the word that was meant.
  package static let hintsMax = 64

  /// What every JSON reader keeps exact: 2⁵³ − 1.
  package static let integerMax: Int64 = 9_007_199_254_740_991
  package static let nameLengthMax = 64
  package static let contentTypeLengthMax = 127
  /// Of titles and details, in Unicode scalars.
  package static let sentenceLengthMax = 256

  package static let seatsMax = 256
  package static let optionsMax = 32
  package static let optionTextBytesMax = 1_024
  package static let choicesMax = 64
  package static let variablesMax = 256
  package static let collectionsMax = 1_024
  /// A number among the members of a family, and the ends of a range in a product.
  package static let memberMax: Int64 = 1_000_000
  /// Conditions, those of a check counted again at each use.
  package static let conditionsMax = 4_096
  /// Deals, one for each member of a family.
  package static let dealsMax = 4_096
  /// Items in all decks together.
  package static let itemsMax = 1_000_000
  /// Values of the document that are read anew for each seat, counted as often as they are read.
  package static let valuesOfSeatsMax = 500_000

  /// How many compiled table types a cache keeps.
  package static let cachedTypesMax = 64
}

// MARK: - The wire

/// How much the wire carries at most.
///
/// A client message that breaks one of these is a `DecodeError` and ends its connection, with two exceptions. Too many
/// items in an operation are legal here, so that the operation can be refused with `TOO_MANY_ITEMS`; and a drag, which is
/// only for show, just loses what is beyond the limit. What the daemon sends is bounded by the size of its frames alone.
public enum WireLimits {
  // MARK: Frames. Their length does not count.

  /// A frame from a client to the daemon, unless the daemon was told otherwise.
  public static let frameBytesMax = 1 << 20
  /// A frame from the daemon to a client.
  public static let serverFrameBytesMax = 4 << 20

  // MARK: Items

  /// How many items of a drag are looked at.
  public static let dragItemsMax = TableLimits.itemsPerOperationMax
  public static let itemAttributesMax = TableLimits.attributesPerItemMax
  public static let itemRepresentationsMax = 16

  // MARK: Texts, as UTF-8

  public static let attributeNameBytesMax = 64
  public static let attributeTextBytesMax = 16 << 10
  public static let contentTypeBytesMax = 128
  public static let actionBytesMax = 64

  public static let tableBytesMax = 64
  public static let tableTypeBytesMax = 1 << 10
  public static let nameBytesMax = 64
  public static let inviteBytesMax = 128
  public static let resumeTokenBytesMax = 128

  public static let formationBytesMax = 64
  public static let reasonBytesMax = 64
  public static let detailBytesMax = 1 << 10
  public static let redirectBytesMax = 256
}

// MARK: - Sessions and the tables of a daemon

/// The bounds that sessions, tables and connections are held to, with their defaults: a daemon may be told others. Each
/// has a reason of its own, by which who runs into it is told.
public struct SyncLimits: Sendable {
  // MARK: Connections

  /// The longest frame that a client may send: `FRAME_TOO_LARGE`.
  public var frameBytesMax = WireLimits.frameBytesMax
  /// How long a connection may take to say hello: `TIMEOUT`.
  public var handshakeSeconds: UInt64 = 10
  /// How often a client says something at least; one that is silent for three times that is let go: `TIMEOUT`.
  public var heartbeatSeconds: UInt64 = 15
  /// Unsent bytes of a connection from which drag movements are left out.
  public var outboxSoftBytes = 256 << 10
  /// Unsent bytes of a connection from which diffs are left out, to be replaced by one snapshot.
  public var outboxHardBytes = 1 << 20
  /// Unsent bytes of a connection below which a snapshot is gone on with.
  public var outboxResumeBytes = 64 << 10
  /// Who has unsent bytes must have read so many, or all, within ``stalledSeconds``: `SLOW`.
  public var stalledBytesMin = 16 << 10
  public var stalledSeconds: UInt64 = 30
  /// Connections that are let go at one look for who is overdue.
  public var dismissalsPerTickMax = 32
  /// What a connection may send while its table is read from the journal, or made, in bytes: `SLOW`.
  public var waitingBytesMax = 64 << 10
  /// How long clients are asked to wait before they come back after a stop.
  public var returnMilliseconds: UInt32 = 1_000

  // MARK: Sessions

  /// How long a seat is kept for a session that has lost its connection.
  public var graceSeconds: UInt64 = 60
  /// How long a session without a connection is remembered: `TOKEN_INVALID`.
  public var sessionSeconds: UInt64 = 2 * 24 * 3_600
  /// Sessions that one table remembers; those without seat and connection make room: `TABLE_FULL`.
  public var sessionsPerTableMax = 10_000
  /// How many operations a session may have unanswered: `RETRY`, `TOO_MANY_PENDING`. As many outcomes are remembered.
  public var pendingOperationsMax = 256
  /// Operations per second and session, as a mean; 0 for no limit: `RETRY`, `RATE_LIMITED`.
  public var operationsPerSecondMax: UInt64 = 50_000
  /// How many operations may come at once beyond the mean.
  public var operationsBurstMax: UInt64 = 50_000
  /// Drag movements per second that are passed on for one session; what is over is left out.
  public var dragMovesPerSecondMax: UInt64 = 30
  /// Drags per second that one session may begin, and how many at once; what is over is refused.
  public var dragsPerSecondMax: UInt64 = 10
  /// How long a drag holds its items against others at most.
  public var claimSeconds: UInt64 = 10
  public var itemsPerDragMax = WireLimits.dragItemsMax

  // MARK: Tables

  /// Tables in memory on one shard: `TOO_MANY_TABLES`.
  public var tablesPerShardMax = 100_000
  /// Items on one table: `TABLE_SIZE`. At most ``TableLimits/itemsPerTableMax``.
  public var itemsPerTableMax = TableLimits.itemsPerTableMax
  /// What lies on one table, and on all tables of a shard that are in memory, in bytes as ``TableState/contentBytes`` has
  /// them: `TABLE_SIZE` for what would make it more, and `TOO_MANY_TABLES` for another table.
  public var contentBytesPerTableMax = 512 << 20
  public var contentBytesPerShardMax = 2 << 30
  /// Items that one operation may name or make: `TOO_MANY_ITEMS`. At most ``TableLimits/itemsPerOperationMax``.
  public var itemsPerOperationMax = TableLimits.itemsPerOperationMax
  /// How long a table is kept in memory that no one is at, where the journal has it.
  public var unloadSeconds: UInt64 = 300
  /// Items and bytes, as a rough measure, in one part of a snapshot. An item is never divided.
  public var snapshotPartItemsMax = 1_000
  public var snapshotPartBytesMax = 48 << 10
  /// Parts of snapshots, or of what followed them, that a shard makes in one turn for all who wait for one.
  public var snapshotPartsPerTurnMax = 8
  /// Records that a table writes before its next snapshot, in bytes, unless its last snapshot was larger than that.
  public var snapshotAfterBytes = 64 << 10
  /// The last records of a table that are kept in memory, in bytes, to bring others level.
  public var logBytesMax = 256 << 10
  /// The same while someone is loading, who needs all that was recorded since the snapshot began.
  public var logBytesWhileLoadingMax = 4 << 20

  public init() {}
}

// MARK: - The daemon's host

/// The bounds of the daemon's host, with their defaults.
public enum ServerLimits {
  /// The port of `baized` without `--listen`.
  package static let port: UInt16 = 7777
  package static let shardsMax = 256
  /// Connections in all: `TOO_MANY_CONNECTIONS`.
  public static let connectionsMax = 100_000
  /// Connections from one address: `TOO_MANY_CONNECTIONS`.
  public static let connectionsPerAddressMax = 1_000
  /// Descriptors that are kept free for listeners, selectors, files and connections that are being turned away.
  package static let descriptorReserve = 256
  /// Connections that are being told, all at once, why they were turned away; more are closed without a word.
  package static let turnedAwayMax = 128
  /// The longest first frame: whoever has not said hello gets no room for more: `FRAME_TOO_LARGE`.
  public static let helloBytesMax = 16 << 10
  /// First frames that a shard looks at in one turn; whoever says hello beyond that waits for the next. Few, since
  /// those who play wait meanwhile.
  package static let hellosPerTurnMax = 1
  /// Items that a table may begin with to be made within a turn; one with more is made beside, while the shard goes on.
  package static let setUpItemsAtOnceMax = 2_000
  /// The work that a turn of a shard does beyond the shares of its tables, and the share of each table, in units of about
  /// one item or 64 bytes. What exceeds both waits for the next turn.
  package static let turnWorkMax = 1_024
  package static let tableWorkMax = 256
  /// Connections, tables and sessions that a turn looks at to see what is overdue.
  package static let sweepVisitsMax = 4_096
  /// What one turn decides and encodes, in bytes, before it ends: diffs that repeat what is on large items.
  package static let turnBytesMax = 4 << 20
  /// Unsent bytes from which a connection's queue is looked at after each turn.
  package static let backlogWatchBytes = 16 << 10
  /// What a shard has posted to the journal and is not durable yet, in bytes: from there on the shard hears nobody. A
  /// disk that stalls costs so much memory, and the frames that wait with it.
  public static let unwrittenBytesMax = 32 << 20
  /// How long a turn that has something to write is gone on with at most, while there is more to hear.
  package static let gatherNanosecondsMax: UInt64 = 1_000_000
  /// Tables that were read from the journal and are being made into tables.
  package static let tablesDecodingMax = 16
  /// How often it is tried whether a disk takes writes again.
  package static let journalRetryNanoseconds: UInt64 = 1_000_000_000
  /// How old the statistics may be that other threads see.
  package static let statisticsNanoseconds: UInt64 = 10_000_000
  /// How often a shard looks at what is overdue.
  package static let tickNanoseconds: UInt64 = 1_000_000_000
  /// The same while more is overdue than one look takes.
  package static let shortTickNanoseconds: UInt64 = 5_000_000
  /// How long a stop waits for what is still to be sent.
  package static let stopNanoseconds: UInt64 = 3_000_000_000
}

// MARK: - The client library

/// The bounds of the client library, each for one table.
public enum ClientLimits {
  /// How long a connection may take to come about before the attempt is given up.
  public static let connectSeconds: UInt64 = 10
  /// What of a table's events waits for one slow reader, each change of an event counted; more is given up for one
  /// `.reloaded`.
  public static let waitingEventsMax = 4_096
  /// Between two movements of a drag that are sent: a little less often than the daemon passes them on.
  public static let dragMoveMilliseconds: UInt64 = 34
  /// How long a drag rests before its place is said once more.
  public static let dragRestMilliseconds: UInt64 = 250
}
