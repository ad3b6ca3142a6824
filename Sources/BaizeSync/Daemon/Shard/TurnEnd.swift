public import BaizeTable

/// What a turn that has ended wants of its host.
public struct TurnEnd: Sendable {
  /// The turn's number, if anything is to be written: the host commits `writes`, as a whole and behind those of all turns
  /// before, and then tells ``ShardMachine/committed(_:)``.
  public var number: TurnNumber?
  public var writes: [JournalWrite] = []
  /// Tables that someone asks for: the host reads each from the journal, once all turns up to this one are committed or
  /// void, and answers by ``ShardMachine/loaded(_:_:at:)``.
  public var loads: [String] = []
  /// What lay on large tables that have gone from memory. To let go of it takes a while; the host does that elsewhere.
  public var retired: [TableState] = []
  /// Tables that are to be made: the host does it, on another thread if it has one, and answers by
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
