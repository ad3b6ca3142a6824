/// What an operator has revoked: the tokens of a person, or one token (J23).
public enum Revocation: Hashable, Sendable {
  case subject(issuer: String, subject: String)
  case token(issuer: String, id: String)
}

extension TokenRights {
  /// Returns whether these rights are among those that are revoked.
  public func isRevoked(by revocations: Set<Revocation>) -> Bool {
    guard !revocations.isEmpty else { return false }
    if revocations.contains(.subject(issuer: issuer, subject: subject)) { return true }
    return tokenID.map { revocations.contains(.token(issuer: issuer, id: $0)) } ?? false
  }
}
