public import BaizeSync
import BaizeTable

/// What a world is made of. With the steps that happen in it, it decides everything: the same plan and the same steps
/// give the same world, for ever.
public struct Plan: Hashable, Sendable {
  /// The chance that the daemon and the clients are given: shuffles, ids, tokens, waits.
  public var seed: UInt64
  /// The table types by the texts that a hello names; the tables are called `t0`, `t1` …
  public var tables: [String]
  public var clients: [Participant]
  public var durability: Durability
  public var limits: [Limit]
  /// A wrong that is done once, to see that the checks see it.
  public var sabotage: Sabotage?

  public init(
    seed: UInt64, tables: [String], clients: [Participant], durability: Durability = .strict, limits: [Limit] = [],
    sabotage: Sabotage? = nil
  ) {
    self.seed = seed
    self.tables = tables
    self.clients = clients
    self.durability = durability
    self.limits = limits
    self.sabotage = sabotage
  }

  /// A client, and the table that it is at.
  public enum Participant: Hashable, Sendable {
    case player(Int)
    case spectator(Int)

    /// Which of the plan's tables.
    public var table: Int {
      switch self {
      case .player(let table), .spectator(let table): table
      }
    }
  }

  /// A bound that is not the daemon's usual one.
  public enum Limit: Hashable, Sendable {
    case pendingOperations(Int)
    case operationRate(UInt64, burst: UInt64)
    /// The daemon hears how much each client has yet to read, and leaves out what is beyond this.
    case outbox(bytes: Int)
    case snapshotParts(items: Int)
    /// How long a seat is kept.
    case grace(seconds: UInt64)
    /// How long a table is kept in memory that no one is at.
    case unload(seconds: UInt64)
    /// Records between a table's snapshots in the journal.
    case journalSnapshots(bytes: Int)
    /// Records kept in memory to bring others level.
    case log(bytes: Int)
    /// A table that begins with more items is made beside the turns, at a step of its own.
    case setUp(itemsAtOnce: Int)
  }
}

extension Plan {
  static func name(ofTable table: Int) -> String { "t\(table)" }

  /// Whether the daemon hears how much each client has yet to read.
  var reportsBacklog: Bool {
    limits.contains { limit in
      if case .outbox = limit { true } else { false }
    }
  }

  /// - Parameter starts: How often the daemon was restarted.
  package func hostOptions(starts: Int = 0) -> ShardHostOptions {
    ShardHostOptions {
      $0.seed = seed &+ UInt64(starts) &* 0x5851_F42D_4C95_7F2D
      $0.limits = syncLimits
      $0.durability = durability
      for case .setUp(let items) in limits.reversed() { $0.setUpItemsAtOnceMax = items }
    }
  }

  private var syncLimits: SyncLimits {
    var sync = SyncLimits()
    sync.returnMilliseconds = 2
    sync.stalledBytesMin = Link.messageBytes
    for limit in limits { limit.apply(to: &sync) }
    return sync
  }
}

extension Plan.Limit {
  fileprivate func apply(to sync: inout SyncLimits) {
    switch self {
    case .pendingOperations(let count): sync.pendingOperationsMax = count
    case .operationRate(let perSecond, let burst):
      sync.operationsPerSecondMax = perSecond
      sync.operationsBurstMax = burst
    case .outbox(let bytes):
      sync.outboxSoftBytes = bytes
      sync.outboxHardBytes = 2 * bytes
      sync.outboxResumeBytes = bytes
    case .snapshotParts(let items): sync.snapshotPartItemsMax = items
    case .grace(let seconds): sync.graceSeconds = seconds
    case .unload(let seconds): sync.unloadSeconds = seconds
    case .journalSnapshots(let bytes): sync.snapshotAfterBytes = bytes
    case .log(let bytes): sync.logBytesMax = bytes
    case .setUp: break
    }
  }
}
