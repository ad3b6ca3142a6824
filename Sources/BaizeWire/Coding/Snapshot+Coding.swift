import BaizeTable

extension SnapshotPart {
  package init(_ bytes: ByteReader, from sender: Sender = .daemon) throws(DecodeError) {
    var reader = bytes
    self.init(epoch: Epoch(rawValue: 0), revision: .zero)
    var limits = ContentLimits(for: sender)
    while let field = try reader.nextField() {
      switch field.number {
      case 1: epoch = Epoch(rawValue: try reader.counter(field))
      case 2: revision = Revision(rawValue: try reader.counter(field))
      case 3: collections.append(try CollectionSummary(reader.message(field)))
      case 4: try reader.item(field, into: &items, from: sender)
      case 5: status = try reader.string(field)
      case 6: isComplete = try reader.bool(field)
      case 7: isFirst = try reader.bool(field)
      case 8: lastSequence = SequenceNumber(rawValue: try reader.counter(field))
      case 9: try reader.attribute(field, into: &variables, &limits)
      case 10: seats.append(try Seat(reader.message(field)))
      default: try reader.skip(field)
      }
    }
  }

  package func encode(into writer: inout ByteWriter, for viewpoint: Viewpoint) {
    writer.uint64(1, epoch.rawValue)
    writer.uint64(2, revision.rawValue)
    for collection in collections { writer.message(3) { collection.encode(into: &$0) } }
    writer.items(4, items, for: viewpoint)
    writer.string(5, status)
    writer.bool(6, isComplete)
    writer.bool(7, isFirst)
    writer.uint64(8, lastSequence.rawValue)
    writer.attributes(9, variables)
    writer.seats(10, seats)
  }
}

extension CollectionSummary {
  fileprivate init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    self.init(handle: CollectionHandle(rawValue: 0), id: "", count: 0, isEnabled: false)
    while let field = try reader.nextField() {
      switch field.number {
      case 1: handle = CollectionHandle(rawValue: try reader.uint32(field))
      case 2: id = try reader.string(field)
      case 3: count = try reader.uint32(field)
      case 4: isEnabled = try reader.bool(field)
      case 5: item = ItemID(rawValue: try reader.uint64(field))
      default: try reader.skip(field)
      }
    }
  }

  fileprivate func encode(into writer: inout ByteWriter) {
    writer.uint32(1, handle.rawValue)
    writer.string(2, id)
    writer.uint32(3, count)
    writer.bool(4, isEnabled)
    writer.uint64(5, item.rawValue)
  }
}
