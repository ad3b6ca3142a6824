import BaizeTable

extension Destination {
  /// The value of a missing destination: no collection has this handle.
  static let nowhere = Destination.end(of: CollectionHandle(rawValue: 0))

  init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    var collection: UInt32 = 0
    var before: UInt64 = 0
    var then: UInt64 = 0
    var after: UInt64 = 0
    var isAtStart = false
    var container: UInt64 = 0
    while let field = try reader.nextField() {
      switch field.number {
      case 1: collection = try reader.uint32(field)
      case 2: before = try reader.uint64(field)
      case 3: then = try reader.uint64(field)
      case 4: (after, isAtStart) = (try reader.uint64(field), false)
      case 5: (after, isAtStart) = (0, try reader.bool(field))
      case 6: container = try reader.uint64(field)
      default: try reader.skip(field)
      }
    }
    self.init(
      collection: CollectionHandle(rawValue: collection), position: Position(anchor: ItemID(rawValue: before)),
      then: ItemID(rawValue: then))
    if container != 0 { self.container = ItemID(rawValue: container) }
    if after != 0 { self.after = .item(ItemID(rawValue: after)) } else if isAtStart { self.after = .start }
  }
}

extension ByteWriter {
  /// Appends a destination, even one of zeros only: its presence has a meaning.
  mutating func destination(_ number: UInt8, _ destination: Destination) {
    message(number) {
      if !destination.hasContainer { $0.uint32(1, destination.collection.rawValue) }
      $0.uint64(2, destination.position.anchor.rawValue)
      $0.uint64(3, destination.then.rawValue)
      switch destination.after {
      case .unspecified: break
      case .start: $0.bool(5, true)
      case .item(let item): $0.uint64(4, item.rawValue)
      }
      if destination.hasContainer { $0.uint64(6, destination.container.rawValue) }
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
