/// A key that a person has pressed.
package enum TerminalKey: Equatable, Sendable {
  case up
  case down
  case left
  case right
  case enter
  case escape
  case tab
  /// A printable ASCII character.
  case character(Character)
}

/// A reader of the keys in a terminal's input, which may divide an escape sequence between two reads.
package struct TerminalKeys {
  /// The beginning of an escape sequence.
  private var rest: [UInt8] = []
  private static let sequenceBytesMax = 16
  private static let escape: UInt8 = 0x1B

  package init() {}

  /// Reads the keys in some bytes. Without further bytes, an escape that was left over is the key.
  package mutating func keys(in bytes: [UInt8]) -> [TerminalKey] {
    if bytes.isEmpty {
      defer { rest = [] }
      return rest == [Self.escape] ? [.escape] : []
    }
    var keys: [TerminalKey] = []
    for byte in bytes {
      if rest.isEmpty {
        if byte == Self.escape { rest = [byte] } else if let key = Self.key(byte) { keys.append(key) }
      } else if rest.count == 1 {
        // `ESC [` and `ESC O` begin a sequence. Anything else follows the key itself.
        if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") {
          rest.append(byte)
        } else {
          keys.append(.escape)
          rest = byte == Self.escape ? [byte] : []
          if rest.isEmpty, let key = Self.key(byte) { keys.append(key) }
        }
      } else if (0x40...0x7E).contains(byte) {
        if let key = Self.arrow(byte) { keys.append(key) }
        rest = []
      } else {
        rest.append(byte)
        if rest.count > Self.sequenceBytesMax { rest = [] }
      }
    }
    return keys
  }

  private static func key(_ byte: UInt8) -> TerminalKey? {
    switch byte {
    case 0x0A, 0x0D, 0x20: .enter
    case 0x09: .tab
    case 0x21...0x7E: .character(Character(Unicode.Scalar(byte)))
    default: nil
    }
  }

  private static func arrow(_ byte: UInt8) -> TerminalKey? {
    switch byte {
    case UInt8(ascii: "A"): .up
    case UInt8(ascii: "B"): .down
    case UInt8(ascii: "C"): .right
    case UInt8(ascii: "D"): .left
    default: nil
    }
  }
}
