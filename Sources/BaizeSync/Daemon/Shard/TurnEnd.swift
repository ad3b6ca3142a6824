/// The host's tasks for a turn that has ended.
public struct TurnEnd: Sendable {
  /// The turn's number; `nil` if there is nothing to write. The host commits `writes` as a whole, after those of all earlier
  /// turns, and then calls ``ShardMachine/committed(_:)``.
  public var number: TurnNumber?
  /// The writes of the turn, in order.
  public var writes: [JournalWrite] = []
  /// The tables to load. The host reads each from the journal once all turns up to this one are committed or void, and
  /// answers by ``ShardMachine/loaded(_:_:at:)``.
  public var loads: [String] = []
  /// The contents and sessions of unloaded tables. Freeing them takes a while, so the host does so on another thread.
  public var retired: [RetiredTable] = []
  /// The tables to create. The host creates them, on another thread if it has one, and answers by
  /// ``ShardMachine/made(_:_:at:)``.
  public var setUps: [TableSetUp] = []
  /// The tokens to verify. The host does so on another thread, and answers by ``ShardMachine/verified(_:_:)``.
  public var verifications: [TokenVerification] = []
}

/// The number of a shard's turn, from 1.
public struct TurnNumber: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  var next: TurnNumber { TurnNumber(rawValue: rawValue + 1) }
}
