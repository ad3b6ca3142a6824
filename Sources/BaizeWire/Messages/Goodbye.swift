/// The last message of a connection, with the reason.
public struct Goodbye: Hashable, Sendable {
  /// The code of the reason.
  public var reason: GoodbyeReason
  /// A sentence for people.
  public var detail: String
  /// Whether the client may resume the session.
  public var isResumable: Bool
  /// The time to wait before reconnecting, in milliseconds; 0 leaves it to the client.
  public var retryAfterMilliseconds: UInt32
  /// Reserved for another address to connect to: empty in this version.
  public var redirect: String

  /// Creates a goodbye; by default the reason decides on whether it is resumable.
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

/// A stable code of the reason why a connection ends.
public struct GoodbyeReason: RawRepresentable, Hashable, Sendable {
  /// The code on the wire.
  public let rawValue: String

  /// Creates a reason of any code, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }
  private init(_ code: String) { rawValue = code }

  // Bytes that cannot be read: the session continues on another connection.
  public static let malformed = GoodbyeReason("MALFORMED")
  public static let frameTooLarge = GoodbyeReason("FRAME_TOO_LARGE")

  // Mistakes of the client: the same again ends the same way.
  public static let unsupportedVersion = GoodbyeReason("UNSUPPORTED_VERSION")
  public static let expectedHello = GoodbyeReason("EXPECTED_HELLO")
  public static let unknownType = GoodbyeReason("UNKNOWN_TYPE")
  public static let unknownTable = GoodbyeReason("UNKNOWN_TABLE")
  public static let tableTypeMismatch = GoodbyeReason("TABLE_TYPE_MISMATCH")
  public static let badTableID = GoodbyeReason("BAD_TABLE_ID")
  public static let badName = GoodbyeReason("BAD_NAME")
  public static let badOption = GoodbyeReason("BAD_OPTION")
  public static let seedNotAllowed = GoodbyeReason("SEED_NOT_ALLOWED")
  public static let createNotAllowed = GoodbyeReason("CREATE_NOT_ALLOWED")
  public static let sequenceGap = GoodbyeReason("SEQ_GAP")
  public static let badCredential = GoodbyeReason("BAD_CREDENTIAL")
  public static let displaced = GoodbyeReason("DISPLACED")
  public static let inviteInvalid = GoodbyeReason("INVITE_INVALID")
  public static let kicked = GoodbyeReason("KICKED")
  /// There is no signed token, or one that the daemon does not accept.
  public static let tokenRefused = GoodbyeReason("TOKEN_REFUSED")

  // Limits that may have room again later.
  public static let tableFull = GoodbyeReason("TABLE_FULL")
  public static let tableSize = GoodbyeReason("TABLE_SIZE")
  public static let tooManyTables = GoodbyeReason("TOO_MANY_TABLES")
  public static let tooManyConnections = GoodbyeReason("TOO_MANY_CONNECTIONS")

  // Interruptions: the client resumes its session.
  public static let timeout = GoodbyeReason("TIMEOUT")
  public static let slow = GoodbyeReason("SLOW")
  public static let shutdown = GoodbyeReason("SHUTDOWN")
  public static let storage = GoodbyeReason("STORAGE")
  /// A later hello of the session is connected.
  public static let staleHello = GoodbyeReason("STALE_HELLO")
  /// The signed token is right, and its time is up: the client presents another.
  public static let tokenExpired = GoodbyeReason("TOKEN_EXPIRED")
  /// The host has moved the session to another seat, which has another view.
  public static let reseated = GoodbyeReason("RESEATED")

  /// The table continues with another document of its type, which the next welcome has.
  public static let migrated = GoodbyeReason("MIGRATED")

  /// The client leaves.
  public static let leaving = GoodbyeReason("LEAVING")

  /// Whether the session continues and its client may resume it.
  public var isResumable: Bool {
    self == .timeout || self == .slow || self == .shutdown || self == .storage || self == .tooManyConnections
      || self == .staleHello || self == .reseated || self == .migrated || self == .tokenExpired || isAboutBytes
  }

  /// Whether the peer could not read what it received.
  package var isAboutBytes: Bool { self == .malformed || self == .frameTooLarge }
}
