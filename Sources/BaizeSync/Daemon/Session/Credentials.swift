import BaizeTable

/// The tokens that resume a session.
struct Credentials: Sendable {
  private(set) var token: ResumeToken
  /// The previous token. It stays valid until a message arrives on the connection that was sent the new one, in case the
  /// welcome was lost.
  @Rare private(set) var previous: ResumeToken?
  /// Whether the client has received its token.
  private(set) var isConfirmed: Bool

  init(_ token: ResumeToken, previous: ResumeToken? = nil) {
    self.token = token
    self.previous = previous
    isConfirmed = previous == nil
  }

  /// Creates the credentials of a new session, whose token the client has not received yet.
  init(new token: ResumeToken) {
    self.init(token)
    isConfirmed = false
  }

  /// Whether the client is known to have a valid token.
  var isHeld: Bool { isConfirmed || previous != nil }

  /// Returns the token that a client presents, or `nil` if it is not valid.
  func matching(_ presented: [UInt8]) -> ResumeToken? {
    if token.matches(presented) { return token }
    return previous.flatMap { $0.matches(presented) ? $0 : nil }
  }

  /// Issues a new token. The presented one stays valid besides: the client certainly has it, even if the welcome with the
  /// new one is lost.
  mutating func rotate(presented: ResumeToken, to new: ResumeToken) {
    previous = presented
    token = new
    isConfirmed = false
  }

  /// Withdraws the new token and keeps the presented one.
  mutating func keepOnly(_ presented: ResumeToken) { self = Credentials(presented) }

  /// Invalidates the previous token: the client has received the new one.
  ///
  /// - Returns: Whether there was one.
  mutating func confirm() -> Bool {
    isConfirmed = true
    guard previous != nil else { return false }
    previous = nil
    return true
  }
}
