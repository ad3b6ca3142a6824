public import BaizeSync
public import BaizeTableTypes
public import BaizeTransport

/// What a daemon is told when it starts. The defaults are those of `baized` without a flag.
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
  public var selector = SelectorKind.platformDefault
  public var log = Log(.warning)
  /// Makes the journal of a shard, on the shard's thread; without one nothing is kept.
  var makeJournal: (@Sendable (_ shard: Int) throws -> any Journal)?

  public init() {}
}
