public import BaizeJournal
public import BaizeSync
import BaizeSystem
public import BaizeTable
public import BaizeTableTypes
public import BaizeTransport

/// The configuration of a daemon. The defaults are those of `baized` without a flag, except for ``journal``: a daemon inside
/// another program writes nothing to disk unless a file is configured; and ``http``: it takes no second port.
public struct ServerConfiguration: Sendable {
  /// The address to listen at; port 0 takes any free port.
  public var address = SocketAddress.loopback(port: ServerLimits.port)
  /// The address for browsers; `nil` for none.
  public var http: HTTPConfiguration?
  /// The operator's address; `nil` for none.
  public var admin: AdminConfiguration?
  /// TLS at the addresses for clients and for browsers; `nil` for none.
  public var tls: TLSConfiguration?
  /// The maximum number of handshakes of TLS in a second. Further ones wait.
  public var tlsHandshakesPerSecondMax = ServerLimits.tlsHandshakesPerSecondMax
  /// The maximum number of handshakes of TLS in a second with one address; an IPv6 address counts as its /64. `nil` for
  /// `ServerLimits.tlsHandshakesPerAddressMax`, which does not apply to connections from this machine.
  public var tlsHandshakesPerAddressMax: Int?
  /// Signed tokens, of which every client needs one; `nil` for none.
  public var tokens: TokenConfiguration?
  /// The number of threads that hold tables; each table belongs to one of them.
  public var shardCount = ProcessorCount.online
  /// The limits of sessions, tables and frames.
  public var limits = SyncLimits()
  /// The addresses of proxies, which must begin every connection with the header of the PROXY protocol, version 1 or 2: it
  /// tells the client's address, for limits and the log.
  public var proxies: [AddressRange] = []
  /// The addresses that many people share, such as that of an office, or of a proxy that does not pass on its clients' addresses:
  /// they have no share of memory and contents, and may take all that is free.
  public var sharedAddresses: [AddressRange] = []
  /// The maximum number of open connections. It is lower where the system grants fewer descriptors.
  public var connectionsMax = ServerLimits.connectionsMax
  /// The maximum number of connections from one address; an IPv6 address counts as its /64. `nil` for
  /// `ServerLimits.connectionsPerAddressMax`, which does not apply to connections from this machine.
  public var connectionsPerAddressMax: Int?
  /// The memory that clients may make the daemon use, in bytes, as far as it is counted. `nil` for
  /// three quarters of what the machine, or the control group of the process, has.
  public var memoryBytesMax: Int?
  /// The table types that clients may create tables of.
  public var tableTypes = TableTypeLibrary.bundled
  /// Whether a table with another document than its type has now moves to that when it is loaded from the journal, if it fits.
  public var migratesTables = false
  /// Whether clients may choose the seed of a table's shuffles. The seed reveals the order of the deck.
  public var allowsSeeds = false
  /// Whether clients may join, without an invite, every table whose type does not require one. `nil` means yes exactly if
  /// the daemon listens at loopback addresses and has no ``proxies``: `false` if another proxy passes on connections from
  /// elsewhere.
  public var isOpen: Bool?
  /// The right to create tables.
  public var creation = CreationRight.anyone
  /// The system interface that the event loops wait with.
  public var selector = SelectorKind.platformDefault
  /// The log for the operator.
  public var log = Log(.warning)
  /// The storage of tables.
  public var journal = JournalConfiguration.none
  /// The name of this daemon among several with the same journal in PostgreSQL, of which one serves while the others wait; `nil` if it
  /// is alone. 1 to 64 letters, digits, points, hyphens and underscores.
  public var node: String?
  /// The data that must be durable before a frame is sent. Under `memory` there is no journal, whatever ``journal`` is.
  public var durability = Durability.strict
  /// The minimum number of revisions of each table that the journal keeps; older history is trimmed.
  public var keepRevisions: UInt64 = 100_000
  /// The time without use after which a table is deleted; `nil` for never.
  public var expiry: ExpiryRule?
  /// Opens a store to use in place of that of ``journal``, on the journal's thread; for tests.
  var openStore: (@Sendable () throws -> any JournalStore)?
  /// The interval between two probes of a disk that has stopped accepting writes, in nanoseconds.
  var journalRetryNanoseconds = ServerLimits.journalRetryNanoseconds
  /// The maximum time that a stop waits for unsent frames, in nanoseconds.
  var stopNanoseconds = ServerLimits.stopNanoseconds
  /// The maximum time that an operator's request waits for a shard, in nanoseconds.
  var operatorNanoseconds = ServerLimits.operatorNanoseconds
  /// The maximum number of bytes that a shard may be ahead of its journal.
  var unwrittenBytesMax = ServerLimits.unwrittenBytesMax
  /// The number of these bytes above which heavy work waits for the journal.
  var unwrittenBusyBytes = ServerLimits.unwrittenBusyBytes

  /// Creates the default configuration.
  public init() {}

  var allowsAnyone: Bool { isOpen ?? isOnLoopback }

  /// Whether only this machine can reach the daemon, unless a proxy that is not known passes on connections.
  private var isOnLoopback: Bool { proxies.isEmpty && address.isLoopback && http?.address.isLoopback ?? true }

  /// A sentence for the log.
  var whoMayJoin: String {
    guard tokens == nil else { return "joining a table requires a signed token that names it (see --token-keys)" }
    guard allowsAnyone else { return "joining a table requires an invite" }
    return isOnLoopback
      ? "every process of this machine can join every table without an invite, and so can everyone who reaches it through a "
        + "proxy (see --closed)"
      : "everyone who can reach \(reachable) can join every table without an invite (see --open)"
  }

  /// A sentence for the log.
  var whoMayCreate: String {
    switch creation {
    case .anyone: "everyone who can connect can create tables (see --create)"
    case .token: "creating a table requires the token of --create-token"
    case .nobody: "nobody can create tables"
    }
  }

  private var reachable: String {
    proxies.isEmpty ? "\(address.isLoopback ? http?.address ?? address : address)" : "it or its proxies"
  }

  var hasJournal: Bool { durability != .memory && (journal != .none || openStore != nil) }

  /// The journal as commands name it: the absolute path of its file, or the word for PostgreSQL; `nil` without one.
  var journalPlace: String? {
    guard hasJournal else { return nil }
    switch journal {
    case .none, .memory: return nil
    case .postgres: return JournalLocation.postgresWord
    case .file(let path):
      guard let resolved = realpath(path, nil) else { return nil }
      defer { free(resolved) }
      return String(cString: resolved)
    }
  }

  /// Returns the journal, which is not open yet; `nil` without one.
  ///
  /// - Parameter node: The daemon's part in a group of several; `nil` if it is alone.
  func makeJournal(for node: JournalNode?) throws -> (any Journal)? {
    guard hasJournal else { return nil }
    return try JournalThread(durability, retryNanoseconds: journalRetryNanoseconds) { [self] in
      try openStore?() ?? openConfiguredStore(for: node)
    }
  }

  private func openConfiguredStore(for node: JournalNode?) throws -> any JournalStore {
    switch journal {
    case .none, .memory: return MemoryJournal()
    case .file(let path):
      let journal = try openStore(.file(path), for: .daemon)
      if SQLiteJournal.isReadableByOthers(path) {
        log(
          .warning,
          "other users can read the journal '\(path)', with every face and token in it; run: chmod 600 '\(path)'")
      }
      return journal
    case .postgres: return try openStore(.postgres, for: node.map(JournalOwner.node) ?? .daemon)
    }
  }

  private func openStore(_ location: JournalLocation, for owner: JournalOwner) throws -> any JournalStore {
    let store = try location.open(
      for: owner, keepRevisions: keepRevisions, limits: limits.journal, expiry: expiry)
    for warning in try store.warnings() { log(.warning, warning) }
    return store
  }
}
