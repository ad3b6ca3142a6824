import BaizeTable
import BaizeWire
import Foundation
import Testing

/// A message of `Protocol/vectors/messages.json` and its bytes, as Google's encoder makes them.
struct Vector: Decodable, Sendable, CustomTestStringConvertible {
  var name: String
  var direction: String
  var description: String
  /// The message, without its length.
  var bytes: [UInt8]
  /// The frame: the message, preceded by its length.
  var frame: [UInt8]

  var testDescription: String { name }

  static let all: [Vector] = load()
  static let client = all.filter { $0.direction == "client" }
  static let server = all.filter { $0.direction == "server" }

  private enum CodingKeys: String, CodingKey {
    case name
    case direction
    case description
    case bytes = "message"
    case frame = "delimited"
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decode(String.self, forKey: .name)
    direction = try values.decode(String.self, forKey: .direction)
    description = try values.decode(String.self, forKey: .description)
    bytes = [UInt8](hex: try values.decode(String.self, forKey: .bytes))
    frame = [UInt8](hex: try values.decode(String.self, forKey: .frame))
  }

  private static func load() -> [Vector] {
    let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = repository.appendingPathComponent("Protocol/vectors/messages.json")
    do {
      return try JSONDecoder().decode([Vector].self, from: Data(contentsOf: file))
    } catch {
      fatalError("cannot read \(file.path): \(error)")
    }
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

/// A message of either direction, so that one test covers both.
protocol WireMessage: Hashable, Sendable {
  static var schema: String { get }
  init(decoding bytes: [UInt8]) throws(DecodeError)
  func encoded() -> [UInt8]
  func framed() -> [UInt8]
}

extension ClientMessage: WireMessage {
  static var schema: String { "ClientMessage" }
}

extension ServerMessage: WireMessage {
  static var schema: String { "ServerMessage" }
}

extension Vector {
  var messageType: any WireMessage.Type { direction == "client" ? ClientMessage.self : ServerMessage.self }
}
