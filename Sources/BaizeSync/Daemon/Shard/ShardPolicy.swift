import BaizeTable

/// What a shard was told when it was made.
struct ShardPolicy {
  let types: any TableTypeSource
  let limits: SyncLimits
  /// Whether a client may choose the seed of a table's shuffles: whoever knows the seed knows the deck.
  let allowsSeeds: Bool
  /// Whether every table is joined without an invite whose type does not ask for one.
  let isOpen: Bool
  /// What must be durable before a frame is sent.
  let durability: Durability
  /// A table that begins with more items is created by the host.
  let setUpItemsAtOnceMax: Int

  func requiresInvite(_ type: TableType) -> Bool { !isOpen || type.requiresInvite }
}
