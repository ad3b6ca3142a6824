import BaizeTable

struct ShardPolicy {
  var types: any TableTypeSource
  /// The limits, for the tables to share.
  var sharedLimits: SharedLimits
  /// Whether a client may choose the seed of a table's shuffles. The seed reveals the order of the deck.
  let allowsSeeds: Bool
  /// Whether tables may be joined without an invite, unless their type requires one.
  let isOpen: Bool
  let creation: CreationRight
  /// Whether a hello must have a signed token, which the host verifies. It stands for an invite, too.
  let needsToken: Bool
  /// The data that must be durable before a frame is sent.
  let durability: Durability
  /// The maximum number of items of a table that is created within a turn; the host creates larger ones.
  let setUpItemsAtOnceMax: Int

  var limits: SyncLimits { @inline(__always) get { sharedLimits.value } }

  func requiresInvite(_ type: TableType) -> Bool { !needsToken && (!isOpen || type.requiresInvite) }
}
