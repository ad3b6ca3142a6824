import BaizeTable

extension Drag {
  /// Decodes a drag. Keeps only the first ``WireLimits/dragItemsMax`` items of a client's drag, and reads an unknown
  /// formation as the default one: a drag is presentation only, and no reason to end a connection.
  init(_ bytes: ByteReader, from sender: Sender) throws(DecodeError) {
    var reader = bytes
    let itemsMax = sender.limit(WireLimits.dragItemsMax)
    self.init(phase: .began)
    while let field = try reader.nextField() {
      switch field.number {
      case 1: session = SessionID(rawValue: try reader.uint64(field))
      case 2: phase = try reader.enumeration(field)
      case 3: try reader.uint64s(field) { if items.count < itemsMax { items.append(ItemID(rawValue: $0)) } }
      case 4: over = try Destination(reader.message(field))
      case 5:
        formation = Formation(rawValue: try reader.string(field)) ?? .default
      case 6: x = try reader.sint32(field)
      case 7: y = try reader.sint32(field)
      case 8: isRefused = try reader.bool(field)
      default: try reader.skip(field)
      }
    }
  }

  func encode(into writer: inout ByteWriter) {
    writer.uint64(1, session.rawValue)
    writer.uint32(2, phase.rawValue)
    writer.items(3, items)
    if let over { writer.destination(4, over) }
    if formation != .default { writer.string(5, formation.rawValue) }
    writer.sint32(6, x)
    writer.sint32(7, y)
    writer.bool(8, isRefused)
  }
}
