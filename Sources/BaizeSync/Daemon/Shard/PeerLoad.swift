import BaizeTable

/// What one peer has made a shard keep, by its account.
public struct PeerLoad: Hashable, Sendable {
  public let peer: PeerID
  /// The number of tables in memory that it has created since the daemon started.
  public var tables = 0
  /// The memory that it is charged for, in bytes.
  public var bytes = 0
  /// The size of the contents of tables that it is charged for, in bytes.
  public var contentBytes = 0
  /// The bytes that it had written and that are not forgotten yet.
  public var writtenBytes = 0

  public init(peer: PeerID) { self.peer = peer }

  /// Returns the most of each kind.
  static func most(_ left: Self, _ right: Self) -> Self {
    var most = left
    most.tables = max(left.tables, right.tables)
    most.bytes = max(left.bytes, right.bytes)
    most.contentBytes = max(left.contentBytes, right.contentBytes)
    most.writtenBytes = max(left.writtenBytes, right.writtenBytes)
    return most
  }

  public static func += (left: inout Self, right: Self) {
    left.tables += right.tables
    left.bytes += right.bytes
    left.contentBytes += right.contentBytes
    left.writtenBytes += right.writtenBytes
  }
}

/// A share that a peer has used up, so that it is refused more of the same.
public enum UsedShare: Hashable, Sendable {
  case tables
  case writtenBytes
  /// Of the memory of the daemon, or of the contents of a shard's tables.
  case memory
}

/// The shares that were used up, for the operator's log.
struct UsedShares {
  private var limit = ReportLimit<Key>()
  private var waiting: [(peer: PeerID, share: UsedShare)] = []

  private struct Key: Hashable {
    let peer: PeerID
    let share: UsedShare
  }

  mutating func note(_ share: UsedShare, of peer: PeerID, at now: Instant) {
    if limit.admits(Key(peer: peer, share: share), at: now) { waiting.append((peer, share)) }
  }

  mutating func take() -> [(peer: PeerID, share: UsedShare)] {
    defer { waiting.removeAll() }
    return waiting
  }
}
