public import BaizeTable

/// What the host has to do for a turn that has ended.
public struct TurnEnd: Sendable {
  /// The turn's number, if anything is to be written: the host commits `writes`, as a whole and after those of all earlier
  /// turns, and then calls ``ShardMachine/committed(_:)``.
  public var number: TurnNumber?
  public var writes: [JournalWrite] = []
  /// Tables to load: the host reads each from the journal, once all turns up to this one are committed or void, and answers
  /// by ``ShardMachine/loaded(_:_:at:)``.
  public var loads: [String] = []
  /// The states of large tables that were removed from memory. Freeing them takes a while; the host does that elsewhere.
  public var retired: [TableState] = []
  /// Tables to create: the host does it, on another thread if it has one, and answers by
  /// ``ShardMachine/made(_:_:at:)``.
  public var setUps: [TableSetUp] = []
}

/// The number of a shard's turn, from 1.
public struct TurnNumber: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  var next: TurnNumber { TurnNumber(rawValue: rawValue + 1) }
}
