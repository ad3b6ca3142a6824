package import BaizeTable

extension Item {
  /// Decodes an item as the daemon shows it.
  init(_ bytes: ByteReader, from sender: Sender) throws(DecodeError) {
    var reader = bytes
    var attributes: [Attribute] = []
    var representations: [Representation] = []
    var limits = ContentLimits(for: sender)
    var seat = SeatNumber.spectator
    self.init(id: .none, collection: CollectionHandle(rawValue: 0))
    while let field = try reader.nextField() {
      switch field.number {
      case 1: id = ItemID(rawValue: try reader.uint64(field))
      case 2: collection = CollectionHandle(rawValue: try reader.uint32(field))
      case 3: visibility = try reader.bool(field) ? .nobody : .everyone
      case 4: try reader.attribute(field, into: &attributes, &limits)
      case 5: try reader.representation(field, into: &representations, &limits)
      case 6: isPinned = try reader.bool(field)
      case 7: aliasOf = ItemID(rawValue: try reader.uint64(field))
      case 8: opens = CollectionHandle(rawValue: try reader.uint32(field))
      case 15 where sender == .journal: seat = SeatNumber(rawValue: try reader.uint32(field))
      default: try reader.skip(field)
      }
    }
    if seat != .spectator { visibility = .seat(seat) }
    // A hidden item has no face for a client, whatever was received with it.
    guard visibility != .nobody || sender == .journal else { return }
    face = Face(attributes: attributes, representations: representations)
  }

  func encode(into writer: inout ByteWriter, for viewpoint: Viewpoint) {
    writer.uint64(1, id.rawValue)
    writer.uint32(2, collection.rawValue)
    writer.bool(3, !viewpoint.sees(visibility))
    if viewpoint.includesFace(visibility) {
      writer.attributes(4, face.attributes)
      writer.representations(5, face.representations)
    }
    writer.bool(6, isPinned)
    writer.uint64(7, aliasOf.rawValue)
    writer.uint32(8, opens.rawValue)
    if case .journal = viewpoint, case .seat(let seat) = visibility { writer.uint32(15, seat.rawValue) }
  }

  /// An upper bound of what the item adds to a frame for any viewer, in bytes.
  ///
  /// - Complexity: O(number of attributes and representations).
  package var frameBytesBound: Int {
    Self.fixedBytesMax + (opens == .none ? 0 : Self.handleBytesMax) + (aliasOf == .none ? 0 : Self.aliasBytesMax)
      + face.contentBytes
  }
  /// An upper bound of all that an item has besides its face: its own length, an id, a collection, two flags and a seat.
  private static let fixedBytesMax = 33
  /// An upper bound of the handle of the collection that it opens.
  private static let handleBytesMax = 6
  /// An upper bound of the id of the item that it is an alias of.
  private static let aliasBytesMax = 9
}

extension NewItem {
  init(_ bytes: ByteReader, _ limits: inout ContentLimits) throws(DecodeError) {
    var reader = bytes
    var attributes: [Attribute] = []
    var representations: [Representation] = []
    while let field = try reader.nextField() {
      switch field.number {
      case 1: try reader.attribute(field, into: &attributes, &limits)
      case 2: try reader.representation(field, into: &representations, &limits)
      default: try reader.skip(field)
      }
    }
    self.init(attributes: attributes, representations: representations)
  }

  func encode(into writer: inout ByteWriter) {
    writer.attributes(1, face.attributes)
    writer.representations(2, face.representations)
  }
}

extension Attribute {
  fileprivate init(_ bytes: ByteReader, _ limits: inout ContentLimits) throws(DecodeError) {
    var reader = bytes
    self.init(name: "", value: nil)
    while let field = try reader.nextField() {
      switch field.number {
      case 1: name = try reader.string(field, .attributeName, &limits)
      case 2: value = .number(try reader.sint64(field))
      case 3: value = .text(try reader.string(field, .attributeText, &limits))
      default: try reader.skip(field)
      }
    }
  }
}

extension Representation {
  fileprivate init(_ bytes: ByteReader, _ limits: inout ContentLimits) throws(DecodeError) {
    var reader = bytes
    self.init(contentType: "", data: [])
    while let field = try reader.nextField() {
      switch field.number {
      case 1: contentType = try reader.string(field, .contentType, &limits)
      case 2: data = try reader.bytes(field)
      default: try reader.skip(field)
      }
    }
  }
}

extension [Attribute] {
  /// Decodes a message that has only attributes, which the daemon has encoded.
  package init(_ bytes: ByteReader) throws(DecodeError) {
    var attributes: [Attribute] = []
    var limits = ContentLimits(for: .daemon)
    try bytes.forEachFirst { (reader, field) throws(DecodeError) in
      try reader.attribute(field, into: &attributes, &limits)
    }
    self = attributes
  }
}

extension ByteReader {
  mutating func item(_ field: FieldTag, into items: inout [Item], from sender: Sender) throws(DecodeError) {
    items.append(try Item(message(field), from: sender))
  }

  /// Adds an attribute, unless there are as many already as an item may have.
  mutating func attribute(
    _ field: FieldTag, into attributes: inout [Attribute], _ limits: inout ContentLimits
  ) throws(DecodeError) {
    let isAdmitted = limits.admits(.attributes, attributes.count + 1)
    let attribute = try Attribute(message(field), &limits)
    if isAdmitted { attributes.append(attribute) }
  }

  /// Adds a representation, unless there are as many already as an item may have.
  mutating func representation(
    _ field: FieldTag, into representations: inout [Representation], _ limits: inout ContentLimits
  ) throws(DecodeError) {
    let isAdmitted = limits.admits(.representations, representations.count + 1)
    let representation = try Representation(message(field), &limits)
    if isAdmitted { representations.append(representation) }
  }
}

extension ByteWriter {
  mutating func items(_ number: UInt8, _ items: [Item], for viewpoint: Viewpoint) {
    for item in items { message(number) { item.encode(into: &$0, for: viewpoint) } }
  }

  package mutating func attributes(_ number: UInt8, _ attributes: [Attribute]) {
    for attribute in attributes {
      message(number) {
        $0.string(1, attribute.name)
        switch attribute.value {
        case .number(let value): $0.presentSint64(2, value)
        case .text(let value): $0.presentString(3, value)
        case nil: break
        }
      }
    }
  }

  mutating func representations(_ number: UInt8, _ representations: [Representation]) {
    for representation in representations {
      message(number) {
        $0.string(1, representation.contentType)
        $0.bytes(2, representation.data)
      }
    }
  }
}
