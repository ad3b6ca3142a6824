public import BaizeTable
public import BaizeWire

/// One thing that must be on disk before anyone hears of it.
public enum JournalEntry: Hashable, Sendable {
  /// A table came to be, with its type as the creator named it.
  case created(table: String, type: String)
  case diff(table: String, Diff)
  /// An operation was judged without a diff: its author may ask again.
  case outcome(table: String, SessionID, Outcome)
}

/// The number of a shard's turn, from 1.
public struct TurnNumber: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  var next: TurnNumber { TurnNumber(rawValue: rawValue + 1) }
}

/// Where turns are kept. An implementation commits the entries of one turn, or of several, as a whole.
public protocol Journal: AnyObject {
  /// Takes the entries of a turn. They are not durable before ``commit()``.
  func append(_ entries: [JournalEntry], of turn: TurnNumber) throws

  /// Makes everything appended durable.
  ///
  /// - Returns: The last turn that is.
  func commit() throws -> TurnNumber
}
