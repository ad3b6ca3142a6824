import Foundation
import TestSupport

/// The text of a file in `Protocol/vectors` that these tests make: `BAIZE_WRITE_VECTORS=1 swift test --filter ProtocolTests`
/// writes it. Without the variable it is compared, byte for byte.
enum VectorFile {
  private static let isWriting = ProcessInfo.processInfo.environment["BAIZE_WRITE_VECTORS"] == "1"

  /// Returns the file's text as it should be, and as it is; writes it first where that was asked for.
  static func texts(_ path: String, _ content: some Encodable) throws -> (expected: String, found: String) {
    let value = try JSONDecoder().decode(JSONText.self, from: JSONEncoder().encode(content))
    let expected = value.text(indent: "") + "\n"
    if isWriting { try Data(expected.utf8).write(to: Repository.root.appending(path: path)) }
    return (expected, try Repository.text(path))
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
  private static let lastKeys = ["steps", "cases"]

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
