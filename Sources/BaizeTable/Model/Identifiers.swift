/// An item's opaque name within its table. It reveals nothing about the item's face.
///
/// All ids are below 2⁵³, so that a language whose only numbers are doubles has them exactly:
///
/// ```
/// 1 ..< 2⁵¹       the table's own, in sequence
/// 2⁵¹ ..< 2⁵²     the table's own, of items in private collections
/// 2⁵² ..< 2⁵³     provisional: the author's own name for an item that its operation makes and that the daemon has not named
///                 yet: 2⁵² | operation << 12 | number
/// ```
///
/// From 2⁵³ on are local ids, by which a client library knows the items that it has created. They are never on the wire.
public struct ItemID: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  public let rawValue: UInt64

  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// No item. Zero on the wire.
  @inlinable public static var none: ItemID { ItemID(rawValue: 0) }

  static let provisionalBit: UInt64 = 1 << 52
  /// The lowest id of an item in a private collection: unlike smaller ids, such an id does not reveal when it was given.
  package static let privateBit: UInt64 = 1 << 51
  static let provisionalNumberBits: UInt64 = 12

  /// The maximum number of items that one operation may make: as many as the number in a provisional id can count.
  public static let provisionalNumbersMax = 1 << Int(provisionalNumberBits)

  /// The number of the first operation whose new items have no provisional ids.
  static let provisionalOperationsEnd = SequenceNumber(rawValue: 1 << 40)

  /// Returns the provisional id of the `number`-th (from 0) new item of the author's operation `operation`, which is below
  /// 2⁴⁰.
  public static func provisional(operation: SequenceNumber, number: Int) -> ItemID {
    let operationBits = (operation.rawValue << provisionalNumberBits) & (provisionalBit - 1)
    return ItemID(rawValue: provisionalBit | operationBits | UInt64(truncatingIfNeeded: number) & 0xFFF)
  }

  /// Whether the id is provisional, hence valid for its author alone.
  public var isProvisional: Bool { rawValue &>> 52 == 1 }

  private static let localBit: UInt64 = 1 << 53

  /// Returns the `number`-th local id of a client, from 1.
  package static func local(_ number: UInt64) -> ItemID { ItemID(rawValue: localBit | number) }

  /// Whether the id is local: the one by which an app knows an item that its client has created, and only that client.
  public var isLocal: Bool { rawValue &>> 53 == 1 }

  /// Whether the daemon gave the id to an item in a private collection.
  var isPrivate: Bool { rawValue &>> 51 == 1 }

  /// Whether the id is one that the daemon gives.
  var isOfTable: Bool { rawValue > 0 && rawValue < Self.provisionalBit }

  /// The operation that makes the item. Meaningful for a provisional id only.
  public var provisionalOperation: SequenceNumber {
    SequenceNumber(rawValue: (rawValue & (Self.provisionalBit - 1)) >> Self.provisionalNumberBits)
  }

  /// The index of the item among the operation's new items. Meaningful for a provisional id only.
  public var provisionalNumber: Int { Int(rawValue & 0xFFF) }
}

/// A collection's short name on the wire: 1 for the table type's first collection, and so on. Zero names none.
///
/// The collections that items open have the handles behind those of the table type, in the order in which they were opened
/// first. No handle is ever used for the collection of another item.
public struct CollectionHandle: RawRepresentable, Hashable, Sendable, BitwiseCopyable, Comparable {
  public let rawValue: UInt32

  @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Creates the handle of the collection at `index`.
  init(index: Int) { rawValue = UInt32(truncatingIfNeeded: index + 1) }

  /// The index among all collections; −1 for the handle that names no collection.
  var index: Int { Int(rawValue) - 1 }

  /// Names no collection. Zero on the wire.
  @inlinable public static var none: CollectionHandle { CollectionHandle(rawValue: 0) }

  private static let provisionalBit: UInt32 = 1 << 31

  /// Whether the handle is the one by which a replica alone knows the collection of an item that its own pending operation
  /// makes.
  public var isProvisional: Bool { rawValue & Self.provisionalBit != 0 }

  /// Returns the handle by which a replica knows the collection that an item with a provisional id opens.
  static func provisional(openedBy item: ItemID) -> CollectionHandle {
    CollectionHandle(rawValue: UInt32(truncatingIfNeeded: item.rawValue) | provisionalBit)
  }

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A participant's connection-spanning identity at one table. Zero is the daemon itself.
public struct SessionID: RawRepresentable, Hashable, Sendable, BitwiseCopyable, Comparable {
  public let rawValue: UInt64

  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The author of changes that no client asked for.
  public static let daemon = SessionID(rawValue: 0)

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The number of a player's seat at a table, from 1. Zero stands for a spectator.
public struct SeatNumber: RawRepresentable, Hashable, Sendable, BitwiseCopyable, Comparable {
  public let rawValue: UInt32

  @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The seat number of every spectator.
  public static let spectator = SeatNumber(rawValue: 0)

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A table's version: each accepted operation makes exactly one diff and raises it by one.
public struct Revision: RawRepresentable, Hashable, Sendable, BitwiseCopyable, Comparable {
  public let rawValue: UInt64

  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The revision of a new table.
  public static let zero = Revision(rawValue: 0)

  /// The revision after this one.
  @inlinable public var next: Revision { Revision(rawValue: rawValue &+ 1) }

  @inlinable public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The number of a table's load from the journal, raised by each. (epoch, revision) orders all states that a client may
/// see.
public struct Epoch: RawRepresentable, Hashable, Sendable, BitwiseCopyable, Comparable {
  public let rawValue: UInt64

  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The number of an operation within its session and epoch: 1, 2, 3 …
public struct SequenceNumber: RawRepresentable, Hashable, Sendable, BitwiseCopyable, Comparable {
  public let rawValue: UInt64

  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// No operation: the number before the first one.
  public static let zero = SequenceNumber(rawValue: 0)

  /// The number that all others are below.
  package static let end = SequenceNumber(rawValue: 1 << 53)

  /// The number of the operation after this one.
  @inlinable public var next: SequenceNumber { SequenceNumber(rawValue: rawValue &+ 1) }

  @inlinable public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
