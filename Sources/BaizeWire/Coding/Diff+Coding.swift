import BaizeTable

extension Diff {
  package init(_ bytes: ByteReader, from sender: Sender = .daemon) throws(DecodeError) {
    var reader = bytes
    var revision: UInt64 = 0
    var author: UInt64 = 0
    var sequence: UInt64 = 0
    var diff = Diff(revision: .zero, author: .daemon, sequence: .zero)
    var operation = DropOperation.cancel
    var isRebased = false
    var isRedirected = false
    var minted = ItemList()
    while let field = try reader.nextField() {
      switch field.number {
      case 1: revision = try reader.counter(field)
      case 2: author = try reader.counter(field)
      case 3: sequence = try reader.counter(field)
      case 4: try diff.append(reader.message(field), from: sender)
      case 5: operation = try reader.enumeration(field)
      case 6: isRebased = try reader.bool(field)
      case 7: isRedirected = try reader.bool(field)
      case 8: try reader.uint64s(field) { minted.append(ItemID(rawValue: $0)) }
      default: try reader.skip(field)
      }
    }
    diff.revision = Revision(rawValue: revision)
    diff.author = SessionID(rawValue: author)
    diff.sequence = SequenceNumber(rawValue: sequence)
    (diff.operation, diff.isRebased, diff.isRedirected, diff.minted) = (operation, isRebased, isRedirected, minted)
    self = diff
  }

  @inline(__always) private mutating func append(_ bytes: ByteReader, from sender: Sender) throws(DecodeError) {
    let change = try Change(bytes, from: sender)
    if sender == .journal { append(change, for: try Audience(ofChange: bytes)) } else { changes.append(change) }
  }

  package func encode(into writer: inout ByteWriter, for viewpoint: Viewpoint, isAuthor: Bool) {
    writer.withRoom(Self.fixedBytesMax) { $0.head(revision, author, sequence) }
    // By index: an iterator would hold a second reference to the list.
    for index in changes.indices where viewpoint.receives(audience(at: index)) {
      writer.message(4) {
        changes[index].encode(into: &$0, for: viewpoint)
        if case .journal = viewpoint { audience(at: index).encode(into: &$0) }
      }
    }
    writer.withRoom(Self.fixedBytesMax) { $0.tail(operation, isRebased: isRebased, isRedirected: isRedirected) }
    if isAuthor, !minted.isEmpty { writer.message(8) { for item in minted { $0.varint(item.rawValue) } } }
  }
}

extension FieldCursor {
  /// Stores the fields of a diff before its changes.
  @inline(__always) fileprivate mutating func head(
    _ revision: Revision, _ author: SessionID, _ sequence: SequenceNumber
  ) {
    uint64(1, revision.rawValue)
    uint64(2, author.rawValue)
    uint64(3, sequence.rawValue)
  }

  /// Stores the fields of a diff behind its changes, except for the new ids.
  @inline(__always) fileprivate mutating func tail(
    _ operation: DropOperation, isRebased: Bool, isRedirected: Bool
  ) {
    uint64(5, UInt64(operation.rawValue))
    uint64(6, isRebased ? 1 : 0)
    uint64(7, isRedirected ? 1 : 0)
  }

  /// Stores the frame of a diff that only moves one item.
  @inline(__always) fileprivate mutating func frame(_ move: SingleMoveDiff) {
    delimited {
      $0.message(ServerMessage.Number.diff) {
        $0.head(move.revision, move.author, move.sequence)
        $0.message(4) {
          $0.message(1) {
            $0.message(1) { $0.varint(move.item.rawValue) }
            $0.placement(2, move.placement)
          }
        }
        $0.tail(move.operation, isRebased: move.isRebased, isRedirected: move.isRedirected)
      }
    }
  }
}

// MARK: - The most frequent diff

extension SingleMoveDiff {
  /// Appends the diff's frame, with one request for room.
  @inline(__always) func appendFrame(to writer: inout ByteWriter) {
    writer.withRoom(Self.frameBytesMax) { $0.frame(self) }
  }

  /// Stores the diff's frame.
  ///
  /// - Parameter room: At least ``frameBytesMax`` bytes.
  /// - Returns: The frame's size in bytes.
  package func storeFrame(in room: UnsafeMutableRawBufferPointer) -> Int {
    precondition(room.count >= Self.frameBytesMax, "no room for a move in \(room.count) bytes")
    var cursor = FieldCursor(position: room.baseAddress.unsafelyUnwrapped)
    cursor.frame(self)
    return cursor.position - room.baseAddress.unsafelyUnwrapped
  }

  /// An upper bound of the bytes of the frame.
  package static let frameBytesMax = 2 * Diff.fixedBytesMax
}

extension Diff {
  /// An upper bound of all that a diff or a move has besides its ids and items.
  fileprivate static let fixedBytesMax = 128
}

/// Only the journal stores audiences: a client receives only what it may see.
extension Audience {
  private static let onlyField: UInt8 = 14
  private static let exceptField: UInt8 = 15

  fileprivate init(ofChange bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    self = .everyone
    while let field = try reader.nextField() {
      switch field.number {
      case UInt32(Self.onlyField): self = .only(try Self.seat(reader.uint64(field)))
      case UInt32(Self.exceptField): self = .except(try Self.seat(reader.uint64(field)))
      default: try reader.skip(field)
      }
    }
  }

  fileprivate func encode(into writer: inout ByteWriter) {
    switch self {
    case .everyone: break
    case .only(let seat): writer.uint64(Self.onlyField, UInt64(seat.rawValue) + 1)
    case .except(let seat): writer.uint64(Self.exceptField, UInt64(seat.rawValue) + 1)
    }
  }

  /// Returns the seat, whose number is stored plus one, so that seat 0 is stored too.
  private static func seat(_ number: UInt64) throws(DecodeError) -> SeatNumber {
    guard number > 0, let seat = UInt32(exactly: number - 1) else { throw .unknownValue }
    return SeatNumber(rawValue: seat)
  }
}

extension Change {
  // Decoding a move is inlined as a whole, like a reorder in an operation.
  @inline(__always) fileprivate init(_ bytes: ByteReader, from sender: Sender) throws(DecodeError) {
    var reader = bytes
    var kind = OneOf()
    while let field = try reader.nextField() {
      switch field.number {
      case 1...9:
        try kind.note(field, from: &reader) { (replaced) throws(DecodeError) in try Self.check(replaced, from: sender) }
      default: try reader.skip(field)
      }
    }
    try self.init(kind, from: sender)
  }

  /// Decodes a kind that a later one replaces.
  @inline(never) private static func check(_ kind: OneOf, from sender: Sender) throws(DecodeError) {
    _ = try Self(kind, from: sender)
  }

  @inline(__always) private init(_ kind: OneOf, from sender: Sender) throws(DecodeError) {
    switch kind.number {
    case 1: self = try .moved(kind.content)
    case 2: self = try .inserted(kind.content, from: sender)
    case 3: self = try .removed(ItemList(kind.content, from: .daemon))
    case 4: self = try .faced(kind.content, from: sender)
    case 5: self = try .status(kind.content)
    case 6:
      let (collection, value) = try Self.numbered(kind.content)
      self = .enabled(collection, value != 0)
    case 7:
      let (collection, value) = try Self.numbered(kind.content)
      self = .counted(collection, Int(UInt32(truncatingIfNeeded: value)))
    case 8: self = .variables(try [Attribute](kind.content))
    case 9: self = .seats(try [Seat](kind.content))
    default: throw .unknownChange
    }
  }

  @inline(__always) private static func moved(_ bytes: ByteReader) throws(DecodeError) -> Self {
    var reader = bytes
    var items = ItemList()
    var placement = Placement.nowhere
    while let field = try reader.nextField() {
      switch field.number {
      case 1: try reader.items(field, into: &items, from: .daemon)
      case 2: placement = try Placement(reader.message(field))
      default: try reader.skip(field)
      }
    }
    return .moved(items, placement)
  }

  private static func inserted(_ bytes: ByteReader, from sender: Sender) throws(DecodeError) -> Self {
    var reader = bytes
    var items: [Item] = []
    var placement = Placement.nowhere
    while let field = try reader.nextField() {
      switch field.number {
      case 1: try reader.item(field, into: &items, from: sender)
      case 2: placement = try Placement(reader.message(field))
      default: try reader.skip(field)
      }
    }
    return .inserted(items, placement)
  }

  private static func faced(_ bytes: ByteReader, from sender: Sender) throws(DecodeError) -> Self {
    var items: [Item] = []
    try bytes.forEachFirst { (reader, field) throws(DecodeError) in
      try reader.item(field, into: &items, from: sender)
    }
    return .faced(items)
  }

  private static func status(_ bytes: ByteReader) throws(DecodeError) -> Self {
    var status = ""
    try bytes.forEachFirst { (reader, field) throws(DecodeError) in status = try reader.string(field) }
    return .status(status)
  }

  private static func numbered(_ bytes: ByteReader) throws(DecodeError) -> (CollectionHandle, UInt64) {
    var reader = bytes
    var (collection, value) = (CollectionHandle(rawValue: 0), UInt64(0))
    while let field = try reader.nextField() {
      switch field.number {
      case 1: collection = CollectionHandle(rawValue: try reader.uint32(field))
      case 2: value = try reader.uint64(field)
      default: try reader.skip(field)
      }
    }
    return (collection, value)
  }

  fileprivate func encode(into writer: inout ByteWriter, for viewpoint: Viewpoint) {
    switch self {
    case .moved(let items, let placement):
      writer.message(1) {
        $0.items(1, items)
        $0.placement(2, placement)
      }
    case .inserted(let items, let placement):
      writer.message(2) {
        $0.items(1, items, for: viewpoint)
        $0.placement(2, placement)
      }
    case .removed(let items): writer.message(3) { $0.items(1, items) }
    case .faced(let items): writer.message(4) { $0.items(1, items, for: viewpoint) }
    case .status(let status): writer.message(5) { $0.string(1, status) }
    case .enabled(let collection, let isEnabled):
      writer.message(6) {
        $0.uint32(1, collection.rawValue)
        $0.bool(2, isEnabled)
      }
    case .counted(let collection, let count):
      writer.message(7) {
        $0.uint32(1, collection.rawValue)
        $0.uint32(2, UInt32(clamping: count))
      }
    case .variables(let variables): writer.message(8) { $0.attributes(1, variables) }
    case .seats(let seats): writer.message(9) { $0.seats(1, seats) }
    }
  }
}
