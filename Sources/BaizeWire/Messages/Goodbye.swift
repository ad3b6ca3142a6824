/// The last message of a connection, with the reason.
public struct Goodbye: Hashable, Sendable {
  public var reason: GoodbyeReason
  /// A sentence for people.
  public var detail: String
  /// Whether the same client may come back with its token.
  public var isResumable: Bool
  /// How long to wait before coming back, in milliseconds; zero leaves it to the client.
  public var retryAfterMilliseconds: UInt32
  public var redirect: String

  public init(
    _ reason: GoodbyeReason, detail: String = "", isResumable: Bool? = nil, retryAfterMilliseconds: UInt32 = 0,
    redirect: String = ""
  ) {
    self.reason = reason
    self.detail = detail
    self.isResumable = isResumable ?? reason.isResumable
    self.retryAfterMilliseconds = retryAfterMilliseconds
    self.redirect = redirect
  }
}

/// A stable code that says why a connection ends.
public struct GoodbyeReason: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }
  private init(_ code: String) { rawValue = code }

  // What the client did wrong: coming back with the same will end the same.
  public static let malformed = GoodbyeReason("MALFORMED")
  public static let frameTooLarge = GoodbyeReason("FRAME_TOO_LARGE")
  public static let unsupportedVersion = GoodbyeReason("UNSUPPORTED_VERSION")
  public static let expectedHello = GoodbyeReason("EXPECTED_HELLO")
  public static let unknownType = GoodbyeReason("UNKNOWN_TYPE")
  public static let unknownTable = GoodbyeReason("UNKNOWN_TABLE")
  public static let tableTypeMismatch = GoodbyeReason("TABLE_TYPE_MISMATCH")
  public static let badTableID = GoodbyeReason("BAD_TABLE_ID")
  public static let badName = GoodbyeReason("BAD_NAME")
  public static let badOption = GoodbyeReason("BAD_OPTION")
  public static let seedNotAllowed = GoodbyeReason("SEED_NOT_ALLOWED")
  public static let sequenceGap = GoodbyeReason("SEQ_GAP")
  public static let tokenInvalid = GoodbyeReason("TOKEN_INVALID")
  public static let displaced = GoodbyeReason("DISPLACED")
  public static let inviteInvalid = GoodbyeReason("INVITE_INVALID")
  public static let kicked = GoodbyeReason("KICKED")

  // What may be otherwise in a while.
  public static let tableFull = GoodbyeReason("TABLE_FULL")
  public static let tableSize = GoodbyeReason("TABLE_SIZE")
  public static let tooManyTables = GoodbyeReason("TOO_MANY_TABLES")
  public static let tooManyConnections = GoodbyeReason("TOO_MANY_CONNECTIONS")

  // What is nobody's fault: come back with the token.
  public static let timeout = GoodbyeReason("TIMEOUT")
  public static let slow = GoodbyeReason("SLOW")
  public static let shutdown = GoodbyeReason("SHUTDOWN")
  public static let storage = GoodbyeReason("STORAGE")
  /// The host has seated the session elsewhere: what it sees is another view.
  public static let reseated = GoodbyeReason("RESEATED")

  /// The client's own farewell.
  public static let leaving = GoodbyeReason("LEAVING")

  /// Whether a session survives this and its client may come back with its token.
  public var isResumable: Bool {
    self == .timeout || self == .slow || self == .shutdown || self == .storage || self == .tooManyConnections
      || self == .reseated
  }
}
