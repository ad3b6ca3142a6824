import BaizeTable

extension Destination {
  /// The value of a missing destination: no collection has this handle.
  static let nowhere = Destination.end(of: CollectionHandle(rawValue: 0))

  /// Decodes the gap of an operation or a drag.
  init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    var collection: UInt32 = 0
    var before: UInt64 = 0
    var (beforeBy, afterBy): (UInt64?, UInt64?)
    var after: UInt64 = 0
    var isAtStart = false
    var container: UInt64 = 0
    while let field = try reader.nextField() {
      switch field.number {
      case 1: collection = try reader.uint32(field)
      case 2: before = try reader.uint64(field)
      case 4: (after, isAtStart) = (try reader.uint64(field), false)
      case 5: (after, isAtStart) = (0, try reader.bool(field))
      case 6: container = try reader.uint64(field)
      case 7: beforeBy = try reader.uint64(field)
      case 8: afterBy = try reader.uint64(field)
      default: try reader.skip(field)
      }
    }
    self.init(
      collection: CollectionHandle(rawValue: collection), position: Position(anchor: ItemID(rawValue: before)))
    if container != 0 { self.container = ItemID(rawValue: container) }
    if after != 0 { self.after = .item(ItemID(rawValue: after)) } else if isAtStart { self.after = .start }
    self.beforeBy = beforeBy.map(SequenceNumber.init(rawValue:))
    self.afterBy = afterBy.map(SequenceNumber.init(rawValue:))
  }
}

extension Placement {
  /// The value of a missing placement: no collection has this handle.
  static let nowhere = Placement.end(of: CollectionHandle(rawValue: 0))

  /// Decodes the placement of a change.
  init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    var (collection, before, gone, goneRevision): (UInt32, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    while let field = try reader.nextField() {
      switch field.number {
      case 1: collection = try reader.uint32(field)
      case 2: before = try reader.uint64(field)
      case 9: gone = try reader.uint64(field)
      case 10: goneRevision = try reader.uint64(field)
      default: try reader.skip(field)
      }
    }
    self.init(
      collection: CollectionHandle(rawValue: collection), position: Position(anchor: ItemID(rawValue: before)))
    if gone != 0 { self.gone = Vacancy(item: ItemID(rawValue: gone), revision: Revision(rawValue: goneRevision)) }
  }
}

extension ByteWriter {
  /// Appends the gap of an operation or a drag, even one of zeros only: its presence has a meaning.
  mutating func destination(_ number: UInt8, _ destination: Destination) {
    message(number) {
      if !destination.hasContainer { $0.uint32(1, destination.collection.rawValue) }
      $0.uint64(2, destination.position.anchor.rawValue)
      switch destination.after {
      case .unspecified: break
      case .start: $0.bool(5, true)
      case .item(let item): $0.uint64(4, item.rawValue)
      }
      if destination.hasContainer { $0.uint64(6, destination.container.rawValue) }
      if let number = destination.beforeBy { $0.presentUInt64(7, number.rawValue) }
      if let number = destination.afterBy { $0.presentUInt64(8, number.rawValue) }
    }
  }

  /// Appends the placement of a change, even one of zeros only.
  mutating func placement(_ number: UInt8, _ placement: Placement) {
    message(number) {
      $0.uint32(1, placement.collection.rawValue)
      $0.uint64(2, placement.position.anchor.rawValue)
      guard let gone = placement.gone else { return }
      $0.uint64(9, gone.item.rawValue)
      $0.uint64(10, gone.revision.rawValue)
    }
  }

  /// Appends item ids, packed; nothing for none.
  mutating func items(_ number: UInt8, _ items: ItemList) {
    guard !items.isEmpty else { return }
    message(number) { for item in items { $0.varint(item.rawValue) } }
  }
}

extension ByteReader {
  /// Adds the item ids of a repeated field, packed or not. Of a client's ids, one more than is allowed suffices for the
  /// refusal; the others are skipped.
  mutating func items(_ field: FieldTag, into items: inout ItemList, from sender: Sender) throws(DecodeError) {
    let itemsMax = sender.limit(TableLimits.itemsPerOperationMax + 1)
    try uint64s(field) { if items.count < itemsMax { items.append(ItemID(rawValue: $0)) } }
  }
}

extension ItemList {
  /// Decodes a message that has only item ids.
  init(_ bytes: ByteReader, from sender: Sender) throws(DecodeError) {
    var items = ItemList()
    try bytes.forEachFirst { (reader, field) throws(DecodeError) in
      try reader.items(field, into: &items, from: sender)
    }
    self = items
  }
}
