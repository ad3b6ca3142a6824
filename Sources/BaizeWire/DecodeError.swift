/// The reason why bytes are not a message, or why a hello is not accepted. It ends one connection: after a malformed frame
/// nothing can be trusted.
public enum DecodeError: String, Error, Hashable, Sendable, CaseIterable {
  case truncated = "a value extends beyond the end of its message"
  case varintTooLong = "a varint has more than 64 bits"
  /// Zero, or 2²⁹ and more.
  case badFieldNumber = "a field number is out of range"
  /// Another type than the field's, a group, or a type that does not exist.
  case badWireType = "a field has a wire type that it cannot have"
  case invalidUTF8 = "a text is not UTF-8"
  /// A revision, an epoch, a session or an operation's number of 2⁵³ or more, from the daemon.
  case numberTooLarge = "a number is out of range"
  case unknownValue = "an enumeration has no such value"
  /// A replica could not apply it.
  case unknownChange = "a diff has a change of an unknown kind"
  /// A client's address is that of a web server.
  case answeredInHTTP = "the answer is HTTP: the address is a web server's, such as that of --http"
  /// A client without TLS has the address of a server that uses it.
  case answeredInTLS = "the answer is TLS: the address needs it"
  /// Longer than the reader accepts.
  case frameTooLarge = "a frame is too large"
  /// Longer than ``WireLimits/tableBytesMax``.
  case tableTooLong = "a table's name is too long"
  /// Longer than ``WireLimits/tableTypeBytesMax``.
  case tableTypeTooLong = "a table type's name with its options is too long"
  /// Longer than ``WireLimits/nameBytesMax``.
  case nameTooLong = "a participant's name is too long"
  /// Longer than ``WireLimits/inviteBytesMax``.
  case inviteTooLong = "an invite is too long"
  /// Longer than ``WireLimits/credentialBytes``.
  case credentialTooLong = "a credential is too long"
  /// Longer than ``WireLimits/sessionNameBytesMax``.
  case sessionNameTooLong = "a session's name is too long"
  /// Longer than ``WireLimits/ticketBytesMax``.
  case ticketTooLong = "a ticket is too long"
  /// Longer than ``WireLimits/signedTokenBytesMax``.
  case signedTokenTooLong = "a signed token is too long"

  /// The reason that the peer receives when the connection ends.
  public var goodbyeReason: GoodbyeReason {
    switch self {
    case .frameTooLarge: .frameTooLarge
    case .tableTooLong: .badTableID
    case .tableTypeTooLong: .unknownType
    case .nameTooLong: .badName
    case .inviteTooLong: .inviteInvalid
    case .credentialTooLong, .sessionNameTooLong, .ticketTooLong: .badCredential
    case .signedTokenTooLong: .tokenRefused
    case .truncated, .varintTooLong, .badFieldNumber, .badWireType, .invalidUTF8, .numberTooLarge, .unknownValue,
      .unknownChange, .answeredInHTTP, .answeredInTLS:
      .malformed
    }
  }
}

extension DecodeError: CustomStringConvertible {
  public var description: String { rawValue }
}
