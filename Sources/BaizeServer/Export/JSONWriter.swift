/// Writes a JSON text piece by piece, so that a large one needs no tree of values.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.object { $0.field("tables") { $0.array { $0.string("evening") } } }
/// ```
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func object(_ body: (inout JSONWriter) -> Void) { container("{", "}", body) }

  mutating func array(_ body: (inout JSONWriter) -> Void) { container("[", "]", body) }

  private mutating func container(_ start: Unicode.Scalar, _ end: Unicode.Scalar, _ body: (inout JSONWriter) -> Void) {
    begin()
    bytes.append(UInt8(ascii: start))
    needsComma = false
    body(&self)
    bytes.append(UInt8(ascii: end))
    needsComma = true
  }

  /// Writes a field of the present object.
  mutating func field(_ name: String, _ value: (inout JSONWriter) -> Void) {
    begin()
    quote(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
    value(&self)
    needsComma = true
  }

  mutating func field(_ name: String, _ text: String) { field(name) { $0.string(text) } }
  mutating func field(_ name: String, _ number: some BinaryInteger) { field(name) { $0.number(number) } }
  mutating func field(_ name: String, _ truth: Bool) { field(name) { $0.raw(truth ? "true" : "false") } }

  mutating func string(_ text: String) {
    begin()
    quote(text)
  }

  mutating func number(_ number: some BinaryInteger) { raw("\(number)") }

  /// Writes a number with a fraction.
  mutating func number(_ number: Double) { raw(number.isFinite ? "\(number)" : "null") }

  mutating func null() { raw("null") }

  private mutating func raw(_ text: String) {
    begin()
    bytes += text.utf8
  }

  private mutating func begin() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  /// Writes a text in quotation marks. `<` and `&` are escaped as well, in case the JSON is pasted into HTML.
  private mutating func quote(_ text: String) {
    let hex = Array("0123456789abcdef".utf8)
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0..<0x20, UInt8(ascii: "<"), UInt8(ascii: "&"), 0x7F:
        bytes += Array("\\u00".utf8) + [hex[Int(byte >> 4)], hex[Int(byte & 15)]]
      case _: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
