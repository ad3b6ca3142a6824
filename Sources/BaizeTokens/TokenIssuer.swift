/// Makes signed tokens for trying out, with a secret that daemon and issuer share (HS256). An app's back end uses a library of
/// its own language, and a key of its own.
public struct TokenIssuer: Sendable {
  private let secret: [UInt8]

  /// Reads a secret: a JSON Web Key, or a set of which one is a secret.
  ///
  /// - Throws: In words if the file cannot be used, or in a build without the trait OpenSSL.
  public init(file: String) throws(TokenKeyError) {
    #if OpenSSL
      let keys = try TokenKeys(files: [file])
      guard let secret = keys.keys.lazy.compactMap(\.secret).first else {
        throw TokenKeyError("there is no secret of HS256 in '\(file)'")
      }
      self.secret = secret
    #else
      throw .unavailable
    #endif
  }

  /// Returns the contents of a file with a new secret, of 32 random bytes.
  public static func newFile() -> String {
    let secret = (0..<TokenLimits.secretBytesMin).map { _ in UInt8.random(in: 0...UInt8.max) }
    return "{\"kty\":\"oct\",\"alg\":\"HS256\",\"k\":\"\(text(Base64URL.encoded(secret)))\"}\n"
  }

  /// Returns a token.
  ///
  /// - Parameters:
  ///   - claims: Its claims, as a JSON object.
  public func token(claims: String) -> String {
    #if OpenSSL
      let message =
        "\(Self.text(Base64URL.encoded(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8))))."
        + Self.text(Base64URL.encoded(Array(claims.utf8)))
      return message + "." + Self.text(Base64URL.encoded(TokenKey.code(of: Array(message.utf8), secret) ?? []))
    #else
      return ""
    #endif
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
