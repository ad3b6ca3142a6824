import Foundation

/// The messages of `baize.proto`, read from that file: a second, obvious codec, between their bytes and the JSON mapping of
/// Protocol Buffers.
struct Schema {
  struct Field {
    let name: String
    let type: String
    let number: UInt64
    let isRepeated: Bool
  }

  struct Mistake: Error {
    let text: String
  }

  /// The fields of each message.
  private var messages: [String: [Field]] = [:]
  /// The names of each enumeration, by their numbers.
  private var enumerations: [String: [UInt64: String]] = [:]

  init(_ text: String) throws {
    var scopes: [[String]] = []
    var words: [String] = []
    for token in text.replacing(/\/\/.*/, with: "").matches(of: /[A-Za-z0-9_."]+|[{};]/).map({ String($0.output) }) {
      switch token {
      case "{":
        scopes.append(words)
        words = []
      case "}": scopes.removeLast()
      case ";":
        if let scope = scopes.last(where: { $0[0] != "oneof" }) { try declare(words, in: scope) }
        words = []
      default: words.append(token)
      }
    }
  }

  private mutating func declare(_ words: [String], in scope: [String]) throws {
    if words[0] == "reserved" { return }
    guard words.count >= 2, let number = UInt64(words[words.count - 1]) else { throw Mistake(text: "\(words)") }
    if scope[0] == "enum" {
      enumerations[scope[1], default: [:]][number] = words[0]
    } else {
      let field = Field(
        name: words[words.count - 2], type: words[words.count - 3], number: number, isRepeated: words[0] == "repeated")
      messages[scope[1], default: []].append(field)
    }
  }

  // MARK: Bytes to JSON

  func json(_ bytes: some Collection<UInt8>, as message: String) throws -> JSON {
    var rest = Array(bytes)[...]
    var members: [JSON.Member] = []
    while !rest.isEmpty {
      let tag = try Self.takeVarint(&rest)
      guard let field = messages[message]?.first(where: { $0.number == tag >> 3 }) else {
        throw Mistake(text: "\(message) has no field \(tag >> 3)")
      }
      var values = try self.values(of: field, wire: tag & 7, &rest)
      guard field.isRepeated else {
        members.append(JSON.Member(name: field.name, value: values[0]))
        continue
      }
      if let last = members.last, last.name == field.name, case .array(let earlier) = last.value {
        members.removeLast()
        values = earlier + values
      }
      members.append(JSON.Member(name: field.name, value: .array(values)))
    }
    return .object(members)
  }

  private func values(of field: Field, wire: UInt64, _ rest: inout ArraySlice<UInt8>) throws -> [JSON] {
    switch wire {
    case 0: return [scalar(try Self.takeVarint(&rest), field.type)]
    case 1:
      let word = try Self.take(8, of: &rest).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return [scalar(word, field.type)]
    case 2:
      let content = try Self.take(Int(Self.takeVarint(&rest)), of: &rest)
      if messages[field.type] != nil { return [try json(content, as: field.type)] }
      if field.type == "string" { return [.text(String(decoding: content, as: UTF8.self))] }
      if field.type == "bytes" { return [.text(Data(content).base64EncodedString())] }
      var packed = content[...]
      var values: [JSON] = []
      while !packed.isEmpty { values.append(scalar(try Self.takeVarint(&packed), field.type)) }
      return values
    default: throw Mistake(text: "\(field.name) has wire type \(wire)")
    }
  }

  private func scalar(_ word: UInt64, _ type: String) -> JSON {
    switch type {
    case "bool": return .word(word == 0 ? "false" : "true")
    case "sint32", "sint64": return .word("\(Int64(bitPattern: word >> 1) ^ -Int64(bitPattern: word & 1))")
    default:
      if let name = enumerations[type]?[word] { return .text(name) }
      // A number that not every reader of JSON can represent is a text in the mapping.
      return word < 1 << 53 ? .word("\(word)") : .text("\(word)")
    }
  }

  // MARK: JSON to bytes

  func bytes(_ object: [String: Any], as message: String) throws -> [UInt8] {
    let fields = messages[message] ?? []
    for name in object.keys where !fields.contains(where: { $0.name == name }) {
      throw Mistake(text: "\(message) has no field \(name)")
    }
    return try fields.sorted { $0.number < $1.number }.flatMap { field -> [UInt8] in
      guard let value = object[field.name] else { return [] }
      let values = field.isRepeated ? value as? [Any] ?? [] : [value]
      let tag = field.number << 3
      if messages[field.type] != nil || field.type == "string" || field.type == "bytes" {
        return try values.flatMap { Self.varint(tag | 2) + Self.delimited(try content($0, field.type)) }
      }
      let words = try values.flatMap { Self.varint(try number($0, field.type)) }
      return field.isRepeated ? Self.varint(tag | 2) + Self.delimited(words) : Self.varint(tag) + words
    }
  }

  private func content(_ value: Any, _ type: String) throws -> [UInt8] {
    if let object = value as? [String: Any] { return try bytes(object, as: type) }
    guard let text = value as? String else { throw Mistake(text: "\(value) is no \(type)") }
    return type == "bytes" ? Array(Data(base64Encoded: text) ?? Data()) : Array(text.utf8)
  }

  private func number(_ value: Any, _ type: String) throws -> UInt64 {
    if let text = value as? String {
      if let word = UInt64(text) ?? enumerations[type]?.first(where: { $0.value == text })?.key { return word }
    } else if let number = value as? NSNumber {
      let signed = number.int64Value
      return type.hasPrefix("sint") ? UInt64(bitPattern: signed << 1 ^ signed >> 63) : number.uint64Value
    }
    throw Mistake(text: "\(value) is no \(type)")
  }

  // MARK: The wire format

  static func delimited(_ content: [UInt8]) -> [UInt8] { varint(UInt64(content.count)) + content }

  private static func varint(_ word: UInt64) -> [UInt8] {
    word < 0x80 ? [UInt8(word)] : [UInt8(word & 0x7F) | 0x80] + varint(word >> 7)
  }

  static func takeVarint(_ bytes: inout ArraySlice<UInt8>) throws -> UInt64 {
    let byte = UInt64(try take(1, of: &bytes)[0])
    return byte < 0x80 ? byte : byte & 0x7F | (try takeVarint(&bytes)) << 7
  }

  private static func take(_ count: Int, of bytes: inout ArraySlice<UInt8>) throws -> [UInt8] {
    guard count <= bytes.count else { throw Mistake(text: "\(count) bytes are expected, \(bytes.count) are left") }
    defer { bytes.removeFirst(count) }
    return Array(bytes.prefix(count))
  }
}

/// A JSON value whose members keep their order.
enum JSON {
  case word(String)
  case text(String)
  case array([JSON])
  case object([Member])

  struct Member {
    let name: String
    let value: JSON
  }

  /// Returns the value as text: on one line if it fits, else with a line for each of its parts.
  ///
  /// - Parameters:
  ///   - indent: The indentation of the line in which it begins.
  ///   - column: The number of characters before it in that line.
  func formatted(indent: Int = 0, column: Int = 0) -> String {
    let line = self.line
    if column + line.count < 118 { return line }
    let margin = String(repeating: " ", count: indent + 2)
    let end = "\n" + String(repeating: " ", count: indent)
    switch self {
    case .word, .text: return line
    case .array(let values):
      let lines = values.map { margin + $0.formatted(indent: indent + 2, column: indent + 2) }
      return "[\n" + lines.joined(separator: ",\n") + end + "]"
    case .object(let members):
      let lines = members.map {
        let name = "\(margin)\"\($0.name)\": "
        return name + $0.value.formatted(indent: indent + 2, column: name.count)
      }
      return "{\n" + lines.joined(separator: ",\n") + end + "}"
    }
  }

  private var line: String {
    switch self {
    case .word(let word): word
    case .text(let text): "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    case .array(let values): "[" + values.map(\.line).joined(separator: ", ") + "]"
    case .object(let members): "{" + members.map { "\"\($0.name)\": \($0.value.line)" }.joined(separator: ", ") + "}"
    }
  }
}
