/// The reason why a token is refused, for the operator's log: clients get one answer, whatever it is.
public struct TokenRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// A sentence without a capital letter or a full stop. It has no text of the token.
  public let description: String
  /// Whether the token would have been accepted before: its signature holds, and it has expired.
  public let isExpired: Bool

  /// The refusal of a token that is right, and revoked by the operator.
  public static let revoked = TokenRefusal("it is revoked")

  init(_ description: String, isExpired: Bool = false) {
    (self.description, self.isExpired) = (description, isExpired)
  }
}
