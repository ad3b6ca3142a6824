public import BaizeSync
import BaizeTable

/// The parameters of a world. The same plan and the same steps always give the same world.
public struct SimulationPlan: Hashable, Sendable {
  /// The seed of the daemon and the clients: shuffles, ids, tokens, waits.
  public var seed: UInt64
  /// The table types, as a hello names them; the tables are called `t0`, `t1` …
  public var tables: [String]
  public var clients: [Participant]
  public var durability: Durability
  public var limits: [Limit]
  /// A fault that is injected once into a frame, to prove that the checks find it.
  public var frameFault: FrameFault?

  public init(
    seed: UInt64, tables: [String], clients: [Participant], durability: Durability = .strict, limits: [Limit] = [],
    frameFault: FrameFault? = nil
  ) {
    self.seed = seed
    self.tables = tables
    self.clients = clients
    self.durability = durability
    self.limits = limits
    self.frameFault = frameFault
  }

  /// A client, and the table that it is at.
  public enum Participant: Hashable, Sendable {
    case player(Int)
    case spectator(Int)

    /// The index of the table in the plan.
    public var table: Int {
      switch self {
      case .player(let table), .spectator(let table): table
      }
    }
  }

  /// A limit that differs from the daemon's default.
  public enum Limit: Hashable, Sendable {
    case pendingOperations(Int)
    case operationRate(UInt64, burst: UInt64)
    /// The unread bytes of each client are reported to the daemon, which drops frames above this limit.
    case outbox(bytes: Int)
    case snapshotParts(items: Int)
    /// The time that a seat is kept.
    case grace(seconds: UInt64)
    case seatsKept(seconds: UInt64)
    /// The time that an empty table is kept in memory.
    case unload(seconds: UInt64)
    /// Records between a table's snapshots in the journal.
    case journalSnapshots(bytes: Int)
    /// The records kept in memory for catch-up.
    case log(bytes: Int)
    /// A table with more items is set up outside of the turns, at a step of its own.
    case setUp(itemsAtOnce: Int)
  }
}

extension SimulationPlan {
  static func name(ofTable table: Int) -> String { "t\(table)" }

  /// Whether the unread bytes of each client are reported to the daemon.
  var reportsBacklog: Bool {
    limits.contains { limit in
      if case .outbox = limit { true } else { false }
    }
  }

  /// - Parameter starts: The number of restarts.
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
    sync.connections.returnMilliseconds = 2
    sync.connections.stalledBytesMin = Link.messageBytes
    for limit in limits { limit.apply(to: &sync) }
    return sync
  }
}

extension SimulationPlan.Limit {
  fileprivate func apply(to sync: inout SyncLimits) {
    switch self {
    case .pendingOperations(let count): sync.sessions.pendingOperationsMax = count
    case .operationRate(let perSecond, let burst):
      sync.sessions.operationsPerSecondMax = perSecond
      sync.sessions.operationsBurstMax = burst
    case .outbox(let bytes):
      sync.connections.outboxSoftBytes = bytes
      sync.connections.outboxHardBytes = 2 * bytes
      sync.connections.outboxResumeBytes = bytes
    case .snapshotParts(let items): sync.tables.snapshotPartItemsMax = items
    case .grace(let seconds): sync.sessions.graceSeconds = seconds
    case .seatsKept(let seconds): sync.sessions.seatKeptSecondsMax = seconds
    case .unload(let seconds): sync.tables.unloadSeconds = seconds
    case .journalSnapshots(let bytes): sync.tables.snapshotAfterBytes = bytes
    case .log(let bytes): sync.tables.logBytesMax = bytes
    // One part a turn, where all tables are created by the host.
    case .setUp(let itemsAtOnce): if itemsAtOnce == 0 { sync.tables.newTableBytesPerTurnMax = 1 }
    }
  }
}
