import BaizeTable

/// The limits of a shard's tables, to which each of them refers: an idle table would take a third more memory for itself with a copy.
final class SharedLimits: Sendable {
  let value: SyncLimits

  init(_ value: SyncLimits) { self.value = value }
}
