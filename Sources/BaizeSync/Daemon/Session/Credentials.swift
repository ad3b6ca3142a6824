import BaizeTable

/// The tokens that resume a session.
struct Credentials: Sendable {
  private(set) var token: ResumeToken
  /// The previous token. It stays valid until a message arrives on the connection that was sent the new one, in case the
  /// welcome was lost.
  @Rare private(set) var previous: ResumeToken?

  init(_ token: ResumeToken, previous: ResumeToken? = nil) {
    self.token = token
    self.previous = previous
  }

  /// Whether the client has received its token.
  var isConfirmed: Bool { @inline(__always) get { !$previous.isPresent } }

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
  }

  /// Withdraws the new token and keeps the presented one.
  mutating func keepOnly(_ presented: ResumeToken) { self = Credentials(presented) }

  /// Invalidates the previous token: the client has received the new one.
  mutating func confirm() { previous = nil }
}
