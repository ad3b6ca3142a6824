import BaizeTable

#if OpenSSL
  import COpenSSL
#endif

/// Verifies signed tokens: JSON Web Tokens (RFC 7519) in compact form, by keys of the operator's choice.
///
/// A token's header chooses nothing but among these keys, by their ids: the key says the algorithm. It does not change once it is
/// made, and may be used on any thread. The cost of a token is that of a signature or, of one that names no key, of one with each.
public final class TokenVerifier: Sendable {
  private let demands: TokenDemands
  #if OpenSSL
    private let keys: TokenKeys
  #endif

  /// Reads keys.
  ///
  /// - Parameters:
  ///   - files: Files with JWK sets, or with public keys or certificates in PEM form.
  ///   - demands: The demands on every token.
  /// - Throws: In words if a file cannot be used, or in a build without the trait OpenSSL.
  public init(files: [String], _ demands: TokenDemands) throws(TokenKeyError) {
    #if OpenSSL
      (self.demands, keys) = (demands, try TokenKeys(files: files))
    #else
      throw .unavailable
    #endif
  }

  /// Takes keys from the contents of a file.
  package init(parsing keys: [UInt8], _ demands: TokenDemands) throws(TokenKeyError) {
    #if OpenSSL
      (self.demands, self.keys) = (demands, try TokenKeys(parsing: keys))
    #else
      throw .unavailable
    #endif
  }

  /// The number of keys.
  public var keyCount: Int {
    #if OpenSSL
      keys.keys.count
    #else
      0
    #endif
  }

  /// The SHA-256 of the files of keys: another one if they have changed.
  public var keyDigest: [UInt8] {
    #if OpenSSL
      keys.digest
    #else
      []
    #endif
  }

  /// Verifies a token.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - now: The present time, in seconds since 1970.
  /// - Returns: What the token says.
  /// - Throws: ``TokenRefusal``. Its reason is for the operator: clients are told only whether the token has expired.
  public func verify(_ token: [UInt8], at now: Int64) throws(TokenRefusal) -> TokenClaims {
    #if OpenSSL
      return try TokenClaims(payload: try payload(of: token), demands, at: now)
    #else
      throw TokenRefusal(TokenKeyError.unavailable.description)
    #endif
  }

  #if OpenSSL
    /// Returns what a token has signed.
    package func payload(of token: [UInt8]) throws(TokenRefusal) -> [UInt8] {
      guard token.count <= WireLimits.signedTokenBytesMax else { throw TokenRefusal("it is too long") }
      let parts = token.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
      guard parts.count == 3 else { throw TokenRefusal("it has not three parts") }
      guard let header = Base64URL.decoded(parts[0]), let payload = Base64URL.decoded(parts[1]),
        let signature = Base64URL.decoded(parts[2])
      else { throw TokenRefusal("it is not base64url without padding") }
      let candidates = try candidates(try TokenObject(header, "the members of the header"))
      let message = Array(token[..<parts[1].endIndex])
      guard candidates.contains(where: { $0.verifies(signature, of: message) }) else {
        throw TokenRefusal("its signature does not hold")
      }
      return payload
    }

    /// Returns the keys that may have signed a token, by its header.
    private func candidates(_ header: TokenObject) throws(TokenRefusal) -> [TokenKey] {
      guard let algorithm = try header.text("alg") else { throw TokenRefusal("its header has no algorithm (alg)") }
      // Extensions that it says must be understood: none is.
      guard !header.has("crit") else { throw TokenRefusal("its header has extensions (crit)") }
      let candidates = keys.candidates(try header.text("kid")).filter { $0.algorithm.rawValue == algorithm }
      guard !candidates.isEmpty else { throw TokenRefusal("no key has its id (kid) and its algorithm (alg)") }
      return candidates
    }
  #endif
}

extension TokenVerifier {
  /// Returns the SHA-256 of a token, by which it can be remembered without being kept.
  package static func digest(of token: [UInt8]) -> [UInt8] {
    #if OpenSSL
      var digest = [UInt8](repeating: 0, count: 32)
      SHA256(token, token.count, &digest)
      return digest
    #else
      return token
    #endif
  }
}
