/// The reason why bytes are not a message. It ends one connection: after a malformed frame nothing can be trusted.
///
/// The raw values are stable, for logs and counters.
public enum DecodeError: String, Error, Hashable, Sendable, CaseIterable {
  /// A value extends beyond the end of its message.
  case truncated
  /// More than ten bytes, or more than 64 bits.
  case varintTooLong
  /// Zero, or 2²⁹ and more.
  case badFieldNumber
  /// A known field of another type, a group, or a type that does not exist.
  case badWireType
  /// A text that is not UTF-8.
  case invalidUTF8
  /// A number that is not a value of its enumeration.
  case unknownValue
  /// A change of a kind that this version does not know, which a replica could not apply.
  case unknownChange
  /// A frame longer than the reader accepts.
  case frameTooLarge
  /// A table's name longer than ``WireLimits/tableBytesMax``.
  case tableTooLong
  /// A participant's name longer than ``WireLimits/nameBytesMax``.
  case nameTooLong
  /// Another text or bytes beyond their limit.
  case textTooLong
  /// More attributes than ``WireLimits/itemAttributesMax``.
  case tooManyAttributes
  /// More representations than ``WireLimits/itemRepresentationsMax``.
  case tooManyRepresentations

  /// The reason that the peer receives when the connection ends.
  public var goodbyeReason: GoodbyeReason {
    switch self {
    case .frameTooLarge: .frameTooLarge
    case .tableTooLong: .badTableID
    case .nameTooLong: .badName
    case .truncated, .varintTooLong, .badFieldNumber, .badWireType, .invalidUTF8, .unknownValue, .unknownChange,
      .textTooLong, .tooManyAttributes, .tooManyRepresentations:
      .malformed
    }
  }
}

extension DecodeError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .truncated: "a value extends beyond the end of its message"
    case .varintTooLong: "a varint has more than 64 bits"
    case .badFieldNumber: "a field number is out of range"
    case .badWireType: "a field has a wire type that it cannot have"
    case .invalidUTF8: "a text is not UTF-8"
    case .unknownValue: "an enumeration has no such value"
    case .unknownChange: "a diff has a change of an unknown kind"
    case .frameTooLarge: "a frame is too large"
    case .tableTooLong: "a table's name is too long"
    case .nameTooLong: "a participant's name is too long"
    case .textTooLong: "a text is too long"
    case .tooManyAttributes: "an item has too many attributes"
    case .tooManyRepresentations: "an item has too many representations"
    }
  }
}
