/// The reason why bytes are not a message. It ends one connection: after a malformed frame nothing can be trusted.
public enum DecodeError: String, Error, Hashable, Sendable, CaseIterable {
  case truncated = "a value extends beyond the end of its message"
  case varintTooLong = "a varint has more than 64 bits"
  /// Zero, or 2²⁹ and more.
  case badFieldNumber = "a field number is out of range"
  /// Another type than the field's, a group, or a type that does not exist.
  case badWireType = "a field has a wire type that it cannot have"
  case invalidUTF8 = "a text is not UTF-8"
  case unknownValue = "an enumeration has no such value"
  /// A replica could not apply it.
  case unknownChange = "a diff has a change of an unknown kind"
  /// Longer than the reader accepts.
  case frameTooLarge = "a frame is too large"
  /// Longer than ``WireLimits/tableBytesMax``.
  case tableTooLong = "a table's name is too long"
  /// Longer than ``WireLimits/nameBytesMax``.
  case nameTooLong = "a participant's name is too long"
  /// Another text or bytes beyond their limit.
  case textTooLong = "a text is too long"
  /// More than ``WireLimits/itemAttributesMax``.
  case tooManyAttributes = "an item has too many attributes"
  /// More than ``WireLimits/itemRepresentationsMax``.
  case tooManyRepresentations = "an item has too many representations"

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
  public var description: String { rawValue }
}
