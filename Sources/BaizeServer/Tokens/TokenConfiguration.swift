/// The configuration of signed tokens: with it, every hello needs one (J23).
public struct TokenConfiguration: Sendable {
  /// The files of the keys that verify tokens: JWK sets, or public keys or certificates in PEM form.
  public var keyFiles: [String]
  /// The issuers of which tokens must name one (`iss`). Every key vouches for all of them.
  public var issuers: [String]
  /// The audience that tokens must be for (`aud`).
  public var audience: String
  /// The file that keeps what is revoked, which the daemon writes; `nil` for the journal. Without either, nothing can be revoked.
  public var revocationFile: String?

  /// Creates a configuration.
  public init(keyFiles: [String], issuers: [String], audience: String, revocationFile: String? = nil) {
    (self.keyFiles, self.issuers, self.audience) = (keyFiles, issuers, audience)
    self.revocationFile = revocationFile
  }
}
