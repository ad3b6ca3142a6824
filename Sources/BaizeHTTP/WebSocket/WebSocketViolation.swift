/// The reason why a peer's frames cannot be accepted (RFC 6455).
public enum WebSocketViolation: String, Error, Hashable, Sendable, CaseIterable {
  case reservedBits = "a frame uses an extension that was not agreed on"
  case unknownOpcode = "a frame has an unknown opcode"
  case notMasked = "a client's frame is not masked"
  case masked = "a server's frame is masked"
  case longLength = "a frame's length has more bytes than it needs"
  case controlTooLong = "a control frame has more than 125 bytes"
  case controlFragmented = "a control frame is fragmented"
  case nothingToContinue = "a frame continues no message"
  case interrupted = "a message begins within another"
  case badCloseCode = "a close frame has no valid code"
  case badCloseReason = "the reason of a close frame is not UTF-8"
  case text = "a message is text, and not binary"
  case tooLarge = "a message is too large"

  /// The code to close with.
  public var closeCode: WebSocketCloseCode {
    switch self {
    case .reservedBits, .unknownOpcode, .notMasked, .masked, .longLength, .controlTooLong, .controlFragmented,
      .nothingToContinue, .interrupted, .badCloseCode:
      .protocolError
    case .badCloseReason: .invalidData
    case .text: .unsupportedData
    case .tooLarge: .messageTooBig
    }
  }
}

/// The code with which a WebSocket ends.
public struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable {
  /// The number on the wire.
  public let rawValue: UInt16

  /// Creates a code of any number.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The purpose is fulfilled.
  public static let normal = WebSocketCloseCode(rawValue: 1000)
  public static let protocolError = WebSocketCloseCode(rawValue: 1002)
  public static let unsupportedData = WebSocketCloseCode(rawValue: 1003)
  public static let invalidData = WebSocketCloseCode(rawValue: 1007)
  public static let policyViolation = WebSocketCloseCode(rawValue: 1008)
  public static let messageTooBig = WebSocketCloseCode(rawValue: 1009)
  public static let serviceRestart = WebSocketCloseCode(rawValue: 1012)
  public static let tryAgainLater = WebSocketCloseCode(rawValue: 1013)

  /// Whether a peer may send it: the others are reserved, or only stand for what happened without a close frame.
  public var isValid: Bool {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
