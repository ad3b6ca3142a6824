import BaizeTable

/// The limits of a shard's tables, and the key to what they give out, to which each of them refers: an idle table would take a third
/// more memory for itself with a copy.
final class SharedLimits: Sendable {
  let value: SyncLimits
  /// `nil` if invites and tokens are given out without seals.
  let access: AccessKey?

  init(_ value: SyncLimits, access: AccessKey? = nil) { (self.value, self.access) = (value, access) }
}
