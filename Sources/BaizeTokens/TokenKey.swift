#if OpenSSL
  import BaizeSync
  import COpenSSL

  /// A key that verifies tokens. Its kind alone says by which algorithm: what a token's header says must agree.
  final class TokenKey: Sendable {
    enum Algorithm: String {
      case hs256 = "HS256"
      case rs256 = "RS256"
      case es256 = "ES256"
      case eddsa = "EdDSA"
    }

    private enum Material {
      case secret([UInt8])
      /// The bits of an `EVP_PKEY *`, which does not change.
      case publicKey(UInt)
    }

    let algorithm: Algorithm
    /// The id that tokens name it by; `nil` if it has none.
    let id: String?
    private let material: Material

    /// The secret of HS256; `nil` for a public key.
    var secret: [UInt8]? { if case .secret(let secret) = material { secret } else { nil } }

    /// Creates a key of a secret.
    init(secret: [UInt8], id: String?) throws(TokenKeyError) {
      guard secret.count >= TokenLimits.secretBytesMin else {
        throw TokenKeyError(
          "a secret of HS256 has \(secret.count) bytes; at least \(TokenLimits.secretBytesMin) are needed")
      }
      guard secret.count <= TokenLimits.secretBytesMax else {
        throw TokenKeyError("a secret of HS256 has more than \(TokenLimits.secretBytesMax) bytes")
      }
      (algorithm, material, self.id) = (.hs256, .secret(secret), id)
    }

    /// Creates a key of one of OpenSSL's, which it owns from then on.
    init(owning key: OpaquePointer, id: String?) throws(TokenKeyError) {
      let algorithm: Algorithm
      switch baize_key_type(key) {
      case EVP_PKEY_ED25519: algorithm = .eddsa
      case EVP_PKEY_EC where baize_is_p256(key) != 0: algorithm = .es256
      case EVP_PKEY_RSA where baize_is_weak_exponent(key) != 0:
        EVP_PKEY_free(key)
        throw TokenKeyError("a key of RSA has an exponent below 3, or an even one")
      case EVP_PKEY_RSA where TokenLimits.modulusBits.contains(Int(baize_key_bits(key))): algorithm = .rs256
      case EVP_PKEY_RSA:
        let bits = baize_key_bits(key)
        EVP_PKEY_free(key)
        throw TokenKeyError(
          "a key of RSA has \(bits) bits; from \(TokenLimits.modulusBits.lowerBound) to "
            + "\(TokenLimits.modulusBits.upperBound) are needed")
      case _:
        EVP_PKEY_free(key)
        throw TokenKeyError("a public key is none of RSA, P-256 or Ed25519")
      }
      (self.algorithm, material, self.id) = (algorithm, .publicKey(UInt(bitPattern: key)), id)
    }

    deinit {
      if case .publicKey(let bits) = material { EVP_PKEY_free(OpaquePointer(bitPattern: bits)) }
    }

    /// Returns whether a signature is that of a message by this key.
    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
      defer { ERR_clear_error() }
      switch (algorithm, material) {
      case (.hs256, .secret(let secret)):
        return Self.code(of: message, secret).map { $0.equalsInConstantTime(signature) } ?? false
      case (.rs256, .publicKey(let key)): return verifies(key, signature, message, EVP_sha256())
      case (.eddsa, .publicKey(let key)): return signature.count == 64 && verifies(key, signature, message, nil)
      case (.es256, .publicKey(let key)):
        guard signature.count == 64 else { return false }
        return verifies(key, Self.encoded(signature), message, EVP_sha256())
      case (.hs256, .publicKey), (.rs256, .secret), (.es256, .secret), (.eddsa, .secret): return false
      }
    }

    private func verifies(_ bits: UInt, _ signature: [UInt8], _ message: [UInt8], _ digest: OpaquePointer?) -> Bool {
      guard let context = EVP_MD_CTX_new() else { return false }
      defer { EVP_MD_CTX_free(context) }
      return EVP_DigestVerifyInit(context, nil, digest, nil, OpaquePointer(bitPattern: bits)) == 1
        && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// Returns the code of a message for a secret (HMAC with SHA-256).
    static func code(of message: [UInt8], _ secret: [UInt8]) -> [UInt8]? {
      var code = [UInt8](repeating: 0, count: 32)
      var count: UInt32 = 0
      guard
        HMAC(EVP_sha256(), secret, Int32(secret.count), message, message.count, &code, &count) != nil, count == 32
      else { return nil }
      return code
    }

    /// Returns two numbers of 32 bytes each as OpenSSL has them: a SEQUENCE of two INTEGERs of DER, the shortest of each.
    private static func encoded(_ signature: [UInt8]) -> [UInt8] {
      var body: [UInt8] = []
      for half in [signature.prefix(32), signature.suffix(32)] {
        var number = Array(half.drop { $0 == 0 })
        if number.first.map({ $0 >= 0x80 }) ?? true { number.insert(0, at: 0) }
        body += [0x02, UInt8(number.count)] + number
      }
      return [0x30, UInt8(body.count)] + body
    }
  }
#endif
