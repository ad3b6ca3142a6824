import Foundation

/// A file of `Protocol/vectors`, and how it is written.
///
/// The files are made by these tests: `BAIZE_WRITE_VECTORS=1 swift test --filter ProtocolTests` writes them. Without the
/// variable they are compared, byte for byte, and run.
enum VectorFile {
  static let isWriting = ProcessInfo.processInfo.environment["BAIZE_WRITE_VECTORS"] == "1"

  static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static func url(_ name: String) -> URL { repository.appendingPathComponent("Protocol/vectors/\(name)") }

  static func read<Content: Decodable>(_ name: String, as type: Content.Type) throws -> Content {
    try JSONDecoder().decode(Content.self, from: Data(contentsOf: url(name)))
  }

  /// The file's text as it should be, and as it is; writes it first where that was asked for.
  static func texts(_ name: String, _ content: some Encodable) throws -> (expected: String, found: String) {
    let value = try JSONDecoder().decode(JSONText.self, from: JSONEncoder().encode(content))
    let expected = value.text(indent: "") + "\n"
    if isWriting { try Data(expected.utf8).write(to: url(name)) }
    return (expected, String(decoding: try Data(contentsOf: url(name)), as: UTF8.self))
  }
}

/// A JSON value that is printed for people: what fits on a line stands on one.
enum JSONText: Decodable {
  case null
  case bool(Bool)
  case number(Int64)
  case text(String)
  case list([JSONText])
  case object([String: JSONText])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([JSONText].self) {
      self = .list(value)
    } else {
      self = .object(try container.decode([String: JSONText].self))
    }
  }

  /// What a reader wants to see first; the other keys follow in alphabetical order.
  private static let firstKeys = ["description", "id", "name", "says", "type"]
  private static let lastKeys = ["verdict", "steps", "cases"]

  func text(indent: String) -> String {
    let line = parts.map { $0.key + $0.value.text(indent: "") }.joined(separator: ", ")
    switch self {
    case .null: return "null"
    case .bool(let value): return value ? "true" : "false"
    case .number(let value): return String(value)
    case .text(let value): return Self.quoted(value)
    case .list(let values): return wrap("[", line, "]", values.isEmpty, indent)
    case .object(let values): return wrap("{", line, "}", values.isEmpty, indent)
    }
  }

  private func wrap(_ open: String, _ line: String, _ close: String, _ isEmpty: Bool, _ indent: String) -> String {
    if isEmpty { return open + close }
    let space = open == "{" ? " " : ""
    if line.count + indent.count <= 110, !line.contains("\n") { return open + space + line + space + close }
    let inner = indent + "  "
    let lines = parts.map { inner + $0.key + $0.value.text(indent: inner) }
    return "\(open)\n\(lines.joined(separator: ",\n"))\n\(indent)\(close)"
  }

  private var parts: [(key: String, value: JSONText)] {
    switch self {
    case .null, .bool, .number, .text: return []
    case .list(let values): return values.map { ("", $0) }
    case .object(let values):
      let middle = values.keys.filter { !Self.firstKeys.contains($0) && !Self.lastKeys.contains($0) }.sorted()
      return (Self.firstKeys + middle + Self.lastKeys).compactMap { key in
        values[key].map { (Self.quoted(key) + ": ", $0) }
      }
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\" + String(scalar)
      case _ where scalar.value < 0x20:
        quoted += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension [UInt8] {
  init(hex: String) {
    let digits = hex.utf8.map { UInt8($0 < 0x3A ? $0 - 0x30 : $0 - 0x57) }
    precondition(digits.count.isMultiple(of: 2) && digits.allSatisfy { $0 < 16 }, "no hexadecimal: \(hex)")
    self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  var hex: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
