import BaizeTable

extension TableOperation {
  init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    self.init(sequence: .zero, base: .zero, epoch: Epoch(rawValue: 0), kind: .unknown)
    while let field = try reader.nextField() {
      switch field.number {
      case 1: sequence = SequenceNumber(rawValue: try reader.uint64(field))
      case 2: base = Revision(rawValue: try reader.uint64(field))
      case 3: kind = try .reorder(reader.message(field))
      case 4: kind = try .insert(reader.message(field))
      case 5: kind = try .remove(reader.message(field))
      case 6: kind = try .update(reader.message(field))
      case 7: kind = try .perform(reader.message(field))
      case 8: kind = try .undo(reader.message(field))
      case 9: epoch = Epoch(rawValue: try reader.uint64(field))
      case 10: unanswered = try reader.uint32(field)
      default: try reader.skip(field)
      }
    }
  }

  func encode(into writer: inout ByteWriter) {
    writer.uint64(1, sequence.rawValue)
    writer.uint64(2, base.rawValue)
    kind.encode(into: &writer)
    writer.uint64(9, epoch.rawValue)
    writer.uint32(10, unanswered)
  }
}

extension TableOperation.Kind {
  fileprivate static func reorder(_ bytes: ByteReader) throws(DecodeError) -> Self {
    var reader = bytes
    var sources = ItemList()
    var destination = Destination.nowhere
    var suggested: UInt32 = 0
    while let field = try reader.nextField() {
      switch field.number {
      case 1: try reader.items(field, into: &sources)
      case 2: destination = try Destination(reader.message(field))
      case 3: suggested = try reader.uint32(field)
      default: try reader.skip(field)
      }
    }
    let difference = ReorderDifference(sources: sources, destination: destination)
    return .reorder(difference, suggested: DropOperation.Set(rawValue: suggested))
  }

  fileprivate static func insert(_ bytes: ByteReader) throws(DecodeError) -> Self {
    var reader = bytes
    var items: [NewItem] = []
    var destination = Destination.nowhere
    while let field = try reader.nextField() {
      switch field.number {
      case 1: items.append(try NewItem(reader.message(field)))
      case 2: destination = try Destination(reader.message(field))
      default: try reader.skip(field)
      }
    }
    return .insert(items, destination)
  }

  fileprivate static func remove(_ bytes: ByteReader) throws(DecodeError) -> Self {
    var reader = bytes
    var items = ItemList()
    while let field = try reader.nextField() {
      switch field.number {
      case 1: try reader.items(field, into: &items)
      default: try reader.skip(field)
      }
    }
    return .remove(items)
  }

  fileprivate static func update(_ bytes: ByteReader) throws(DecodeError) -> Self {
    var reader = bytes
    var item = ItemID.none
    var attributes: [Attribute] = []
    var representations: [Representation] = []
    while let field = try reader.nextField() {
      switch field.number {
      case 1: item = ItemID(rawValue: try reader.uint64(field))
      case 2: try reader.attribute(field, into: &attributes, from: .client)
      case 3: try reader.representation(field, into: &representations, from: .client)
      default: try reader.skip(field)
      }
    }
    return .update(item, attributes: attributes, representations: representations)
  }

  fileprivate static func perform(_ bytes: ByteReader) throws(DecodeError) -> Self {
    var reader = bytes
    var action = ""
    var items = ItemList()
    var destination: Destination?
    while let field = try reader.nextField() {
      switch field.number {
      case 1: action = try reader.string(field, bytesMax: Limits.actionBytesMax)
      case 2: try reader.items(field, into: &items)
      case 3: destination = try Destination(reader.message(field))
      default: try reader.skip(field)
      }
    }
    return .perform(action: action, items: items, destination)
  }

  fileprivate static func undo(_ bytes: ByteReader) throws(DecodeError) -> Self {
    var reader = bytes
    var sequence = SequenceNumber.zero
    while let field = try reader.nextField() {
      switch field.number {
      case 1: sequence = SequenceNumber(rawValue: try reader.uint64(field))
      default: try reader.skip(field)
      }
    }
    return .undo(sequence)
  }

  fileprivate func encode(into writer: inout ByteWriter) {
    switch self {
    case .reorder(let difference, let suggested):
      writer.message(3) {
        $0.items(1, difference.sources)
        $0.destination(2, difference.destination)
        $0.uint32(3, suggested.rawValue)
      }
    case .insert(let items, let destination):
      writer.message(4) {
        for item in items { $0.message(1) { item.encode(into: &$0) } }
        $0.destination(2, destination)
      }
    case .remove(let items):
      writer.message(5) { $0.items(1, items) }
    case .update(let item, let attributes, let representations):
      writer.message(6) {
        $0.uint64(1, item.rawValue)
        $0.attributes(2, attributes)
        $0.representations(3, representations)
      }
    case .perform(let action, let items, let destination):
      writer.message(7) {
        $0.string(1, action)
        $0.items(2, items)
        if let destination { $0.destination(3, destination) }
      }
    case .undo(let sequence):
      writer.message(8) { $0.uint64(1, sequence.rawValue) }
    case .unknown: break
    }
  }
}
