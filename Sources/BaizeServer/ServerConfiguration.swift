import BaizeJournal
public import BaizeSync
public import BaizeTable
public import BaizeTableTypes
public import BaizeTransport

/// The configuration of a daemon. The defaults are those of `baized` without a flag, except for the journal: inside another
/// program nothing is written to disk unless it says where.
public struct ServerConfiguration: Sendable {
  /// Where to listen; port 0 takes any that is free.
  public var address = SocketAddress.loopback(port: ServerLimits.port)
  /// How many threads hold tables; each table lives on one of them.
  public var shardCount = ProcessorCount.online
  /// The bounds of sessions, tables and frames.
  public var limits = SyncLimits()
  /// How many connections there may be in all. Fewer where the system grants fewer descriptors.
  public var connectionsMax = ServerLimits.connectionsMax
  /// How many connections one address may hold; an IPv6 address counts as its /64. `nil` for
  /// ``ServerLimits/connectionsPerAddressMax``, from which this machine itself is exempt.
  public var connectionsPerAddressMax: Int?
  /// The table types that a client may name.
  public var tableTypes = TableTypeLibrary.bundled
  /// Whether a client may choose the seed of a table's shuffles: who knows the seed knows the deck.
  public var allowsSeeds = false
  /// Whether who can reach the daemon may join every table whose type does not ask for invites. `nil` for: where only this
  /// machine can reach it.
  public var isOpen: Bool?
  public var selector = SelectorKind.platformDefault
  public var log = Log(.warning)
  /// Where tables are kept.
  public var journal = JournalConfiguration.none
  /// What must be durable before a frame is sent. Under `memory` there is no journal, whatever ``journal`` is.
  public var durability = Durability.strict
  /// How many revisions of each table the journal keeps at least; older history is trimmed.
  public var keepRevisions: UInt64 = 100_000
  /// Opens another journal than ``journal``, on the journal's thread: for tests.
  var openJournal: (@Sendable () throws -> any Journal)?
  /// How often it is tried whether a disk takes writes again.
  var journalRetryNanoseconds = ServerLimits.journalRetryNanoseconds
  /// How far a shard may be ahead of its journal, in bytes.
  var unwrittenBytesMax = ServerLimits.unwrittenBytesMax

  public init() {}

  var letsEveryoneIn: Bool { isOpen ?? address.isLoopback }

  var hasJournal: Bool { durability != .memory && (journal != .none || openJournal != nil) }

  func makeJournal() throws -> any Journal {
    if let openJournal { return try openJournal() }
    switch journal {
    case .none, .memory: return MemoryJournal()
    case .file(let path): return try SQLiteJournal(path: path, keepRevisions: keepRevisions)
    }
  }
}
