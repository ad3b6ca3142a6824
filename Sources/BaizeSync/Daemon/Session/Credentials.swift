import BaizeTable

/// The tokens with which a client resumes its session.
struct Credentials: Sendable {
  private(set) var token: ResumeToken
  /// The token before. It stays valid until something is received on the connection that was sent the new one, in case
  /// the welcome was lost.
  private(set) var previous: ResumeToken?

  init(_ token: ResumeToken, previous: ResumeToken? = nil) {
    self.token = token
    self.previous = previous
  }

  /// Returns the valid token that a client presents, or `nil`.
  func matching(_ presented: [UInt8]) -> ResumeToken? {
    if token.matches(presented) { return token }
    return previous.flatMap { $0.matches(presented) ? $0 : nil }
  }

  /// Issues a new token. The one presented stays valid beside it: it is the one that the client holds for sure, however
  /// many welcomes were lost since.
  mutating func rotate(presented: ResumeToken, to new: ResumeToken) {
    previous = presented
    token = new
  }

  /// Goes back to the token that was presented.
  mutating func keepOnly(_ presented: ResumeToken) { self = Credentials(presented) }

  /// Invalidates the previous token: the client has received the new one.
  mutating func confirm() { previous = nil }
}
