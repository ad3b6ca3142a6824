/// The fields of a message as a tree: a second, obvious reader and writer of the wire format, by which the tests encode
/// a vector in other forms.
struct WireTree {
  struct Field {
    var number: UInt64
    var value: Value
  }

  enum Value {
    case varint(UInt64)
    case fixed64([UInt8])
    case bytes([UInt8])
    case packed([UInt64])
    case message(WireTree)
  }

  var fields: [Field] = []

  /// Reads `bytes`, which must be well formed, as a message of the type `schema`.
  init(_ bytes: [UInt8], as schema: String) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let tag = Self.takeVarint(&rest)
      let number = tag >> 3
      switch tag & 7 {
      case 0: fields.append(Field(number: number, value: .varint(Self.takeVarint(&rest))))
      case 1: fields.append(Field(number: number, value: .fixed64(Self.take(8, of: &rest))))
      case 2:
        let content = Self.take(Int(Self.takeVarint(&rest)), of: &rest)
        fields.append(Field(number: number, value: Self.value(content, type: Self.types[schema]?[number])))
      default: fatalError("no field has the tag \(tag)")
      }
    }
  }

  /// The form of the encoding; by default the canonical one.
  struct Style {
    /// The smallest number of bytes of a varint.
    var varintBytesMin = 1
    /// Whether repeated numbers are not packed, each with its own tag.
    var isUnpacked = false
  }

  func bytes(_ style: Style = Style()) -> [UInt8] {
    fields.flatMap { field in
      switch field.value {
      case .varint(let value):
        Self.varint(field.number << 3, style) + Self.varint(value, style)
      case .fixed64(let value):
        Self.varint(field.number << 3 | 1, style) + value
      case .bytes(let value): Self.delimited(field.number, value, style)
      case .message(let message): Self.delimited(field.number, message.bytes(style), style)
      case .packed(let values):
        style.isUnpacked
          ? values.flatMap { Self.varint(field.number << 3, style) + Self.varint($0, style) }
          : Self.delimited(field.number, values.flatMap { Self.varint($0, style) }, style)
      }
    }
  }

  /// Returns the tree with `change` applied to the fields of every message in it, the inner ones first.
  func mapMessages(_ change: ([Field]) -> [Field]) -> WireTree {
    var tree = self
    tree.fields = change(
      fields.map { field in
        guard case .message(let message) = field.value else { return field }
        return Field(number: field.number, value: .message(message.mapMessages(change)))
      })
    return tree
  }

  // MARK: The format

  static func varint(_ value: UInt64, _ style: Style = Style()) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = value
    repeat {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    } while rest > 0 || bytes.count < style.varintBytesMin
    bytes[bytes.count - 1] &= 0x7F
    return bytes
  }

  static func delimited(_ number: UInt64, _ content: [UInt8], _ style: Style = Style()) -> [UInt8] {
    varint(number << 3 | 2, style) + varint(UInt64(content.count), style) + content
  }

  private static func takeVarint(_ bytes: inout ArraySlice<UInt8>) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      let byte = bytes.removeFirst()
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { break }
    }
    return value
  }

  private static func take(_ count: Int, of bytes: inout ArraySlice<UInt8>) -> [UInt8] {
    defer { bytes.removeFirst(count) }
    return Array(bytes.prefix(count))
  }

  private static func value(_ content: [UInt8], type: String?) -> Value {
    switch type {
    case nil: return .bytes(content)
    case "packed":
      var rest = content[...]
      var values: [UInt64] = []
      while !rest.isEmpty { values.append(takeVarint(&rest)) }
      return .packed(values)
    case let type?: return .message(WireTree(content, as: type))
    }
  }

  /// The fields of `baize.proto` that are messages or packed numbers; all other delimited ones are texts and bytes.
  private static let types: [String: [UInt64: String]] = [
    "ClientMessage": [1: "Hello", 2: "Operation", 3: "Drag", 4: "Ping", 5: "SnapshotRequest", 6: "Goodbye"],
    "ServerMessage": [
      1: "Welcome", 2: "Snapshot", 3: "Diff", 4: "Outcome", 5: "Drag", 6: "Pong", 7: "Seats", 8: "Goodbye",
    ],
    "Welcome": [15: "Attribute"],
    "Seats": [1: "Seat"],
    "Snapshot": [3: "Collection", 4: "Item", 9: "Attribute", 10: "Seat"],
    "Item": [4: "Attribute", 5: "Representation"],
    "Operation": [3: "Reorder", 4: "Insert", 5: "Remove", 6: "Update", 7: "Perform", 8: "Undo"],
    "Reorder": [1: "packed", 2: "Destination"],
    "Insert": [1: "NewItem", 2: "Destination"],
    "NewItem": [1: "Attribute", 2: "Representation"],
    "Remove": [1: "packed"],
    "Update": [2: "Attribute", 3: "Representation"],
    "Perform": [2: "packed", 3: "Destination"],
    "Diff": [4: "Change", 8: "packed"],
    "Change": [
      1: "Moved", 2: "Inserted", 3: "Removed", 4: "Faced", 5: "Status", 6: "Enabled", 7: "Counted", 8: "Variables",
      9: "Seats",
    ],
    "Moved": [1: "packed", 2: "Destination"],
    "Inserted": [1: "Item", 2: "Destination"],
    "Removed": [1: "packed"],
    "Faced": [1: "Item"],
    "Variables": [1: "Attribute"],
    "Drag": [3: "packed", 4: "Destination"],
  ]
}
