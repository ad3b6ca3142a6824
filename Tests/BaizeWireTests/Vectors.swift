import BaizeTable
import BaizeWire
import TestSupport
import Testing

/// A message of `Protocol/vectors/messages.json` and its bytes, as Google's encoder makes them.
struct Vector: Decodable, Sendable, CustomTestStringConvertible {
  var name: String
  var direction: String
  /// The message, without its length.
  var bytes: [UInt8]
  /// The frame: the message, preceded by its length.
  var frame: [UInt8]

  var testDescription: String { name }

  static let all: [Vector] = {
    do {
      return try Repository.decode("Protocol/vectors/messages.json")
    } catch {
      fatalError("cannot read the vectors: \(error)")
    }
  }()
  static let client = all.filter { $0.direction == "client" }
  static let server = all.filter { $0.direction == "server" }

  private enum CodingKeys: String, CodingKey {
    case name
    case direction
    case bytes = "message"
    case frame = "delimited"
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decode(String.self, forKey: .name)
    direction = try values.decode(String.self, forKey: .direction)
    bytes = [UInt8](hex: try values.decode(String.self, forKey: .bytes))
    frame = [UInt8](hex: try values.decode(String.self, forKey: .frame))
  }
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
