#if OpenSSL
  import BaizeSystem
  import BaizeTableTypes
  import COpenSSL

  /// The keys of one or more files: a set of JSON Web Keys (RFC 7517), or public keys and certificates in PEM form.
  struct TokenKeys: Sendable {
    private(set) var keys: [TokenKey] = []
    /// The SHA-256 of the files.
    private(set) var digest: [UInt8]

    /// Reads files.
    ///
    /// - Throws: In words if one of them cannot be used, or if there is no key.
    init(files: [String]) throws(TokenKeyError) {
      var contents: [UInt8] = []
      for file in files {
        do throws(TokenKeyError) {
          let bytes = try Self.read(file)
          contents += bytes
          let added = try Self.parse(bytes)
          guard added.isEmpty || !added.contains(where: { $0.algorithm == .hs256 }) || !Self.isReadableByAll(file)
          else {
            throw TokenKeyError("every user can read the secret in it; run: chmod o= '\(file)'")
          }
          keys += added
        } catch {
          throw TokenKeyError("the keys in '\(file)' cannot be used: \(error)")
        }
      }
      digest = TokenVerifier.digest(of: contents)
      try check()
    }

    /// Parses one file.
    init(parsing bytes: [UInt8]) throws(TokenKeyError) {
      (keys, digest) = (try Self.parse(bytes), TokenVerifier.digest(of: bytes))
      try check()
    }

    private func check() throws(TokenKeyError) {
      guard !keys.isEmpty else { throw TokenKeyError("there is no key for tokens") }
      guard keys.count <= TokenLimits.keysMax else {
        throw TokenKeyError("there are \(keys.count) keys for tokens; at most \(TokenLimits.keysMax) are allowed")
      }
      let ids = keys.compactMap(\.id)
      guard Set(ids).count == ids.count else { throw TokenKeyError("two keys for tokens have the same id (kid)") }
    }

    /// Returns the keys that may have signed a token: the one of that id, or those without an id if none has it; all for a token
    /// that names none.
    func candidates(_ id: String?) -> [TokenKey] {
      guard let id else { return keys }
      if let key = keys.first(where: { $0.id == id }) { return [key] }
      return keys.filter { $0.id == nil }
    }

    // MARK: Files

    private static func read(_ file: String) throws(TokenKeyError) -> [UInt8] {
      guard let stream = fopen(file, "re") else {
        throw TokenKeyError(strerror(errno).map { String(cString: $0) } ?? "it cannot be read")
      }
      defer { fclose(stream) }
      var bytes = [UInt8](repeating: 0, count: TokenLimits.fileBytesMax + 1)
      let count = fread(&bytes, 1, bytes.count, stream)
      guard ferror(stream) == 0 else { throw TokenKeyError("it cannot be read") }
      guard count <= TokenLimits.fileBytesMax else {
        throw TokenKeyError("it has more than \(TokenLimits.fileBytesMax) bytes")
      }
      return Array(bytes.prefix(count))
    }

    private static func isReadableByAll(_ path: String) -> Bool {
      var status = stat()
      return stat(path, &status) == 0 && status.st_mode & S_IRWXO != 0
    }

    private static func parse(_ bytes: [UInt8]) throws(TokenKeyError) -> [TokenKey] {
      let first = bytes.first { !($0 == 0x20 || (0x09...0x0D).contains($0)) }
      return first == UInt8(ascii: "{") ? try parseSet(bytes) : try parsePEM(bytes)
    }

    // MARK: PEM

    private static func parsePEM(_ bytes: [UInt8]) throws(TokenKeyError) -> [TokenKey] {
      // OpenSSL reads them where they are.
      let result = bytes.withUnsafeBytes { bytes -> Result<[TokenKey], TokenKeyError> in
        Result { () throws(TokenKeyError) in try parsePEM(bytes) }
      }
      return try result.get()
    }

    private static func parsePEM(_ bytes: UnsafeRawBufferPointer) throws(TokenKeyError) -> [TokenKey] {
      guard let source = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
        throw TokenKeyError("OpenSSL has no memory")
      }
      defer {
        BIO_free(source)
        ERR_clear_error()
      }
      var keys: [TokenKey] = []
      var (name, header, data):
        (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<UInt8>?)
      (name, header, data) = (nil, nil, nil)
      var count = 0
      while PEM_read_bio(source, &name, &header, &data, &count) == 1 {
        defer {
          for text in [name, header] { CRYPTO_free(text, nil, 0) }
          CRYPTO_free(data, nil, 0)
        }
        let kind = name.map { String(cString: $0) } ?? ""
        var position = UnsafePointer(data)
        let key: OpaquePointer?
        switch kind {
        case "PUBLIC KEY": key = d2i_PUBKEY(nil, &position, count)
        case "CERTIFICATE":
          let certificate = d2i_X509(nil, &position, count)
          key = X509_get_pubkey(certificate)
          X509_free(certificate)
        case _ where kind.hasSuffix("PRIVATE KEY"):
          throw TokenKeyError("there is a private key in it, which only the issuer of tokens may have")
        case _: throw TokenKeyError("it has other things than public keys and certificates")
        }
        guard let key else { throw TokenKeyError("a public key in it is malformed") }
        keys.append(try TokenKey(owning: key, id: nil))
      }
      // The end of the file is the only reason to stop.
      guard baize_error_reason(ERR_peek_last_error()) == PEM_R_NO_START_LINE else {
        throw TokenKeyError("it is cut off, or a part of it is no PEM form")
      }
      guard !keys.isEmpty else { throw TokenKeyError("it is neither a JWK set nor has it public keys in PEM form") }
      return keys
    }

    // MARK: JSON Web Keys

    private static func parseSet(_ bytes: [UInt8]) throws(TokenKeyError) -> [TokenKey] {
      let document: JSON
      do throws(DocumentMistakes) {
        document = try JSONParser.parse(bytes)
      } catch {
        // Only the first, and only where: what is written there may be a secret.
        throw TokenKeyError("it is no JSON document, or has a member twice (\(error.mistakes[0].position))")
      }
      let set = try KeyObject(document)
      guard let keys = set["keys"] else { return try [key(set)].compactMap(\.self) }
      guard case .array(let keys) = keys.content else { throw TokenKeyError("'keys' is not a list") }
      return try keys.map { (json) throws(TokenKeyError) in try key(try KeyObject(json)) }.compactMap(\.self)
    }

    /// Returns a key, or `nil` if it is for another purpose or algorithm, as providers have in their sets.
    private static func key(_ object: KeyObject) throws(TokenKeyError) -> TokenKey? {
      if let use = try object.text("use"), use != "sig" { return nil }
      if let operations = object["key_ops"] {
        guard case .array(let values) = operations.content,
          values.contains(where: { if case .text("verify") = $0.content { true } else { false } })
        else { return nil }
      }
      let id = try object.text("kid")
      guard id?.utf8.count ?? 0 <= TokenLimits.keyIDBytesMax else {
        throw TokenKeyError("the id of a key (kid) is too long")
      }
      let (kind, curve) = (try object.text("kty"), try object.text("crv"))
      let expected: TokenKey.Algorithm
      switch (kind, curve) {
      case ("oct", nil): expected = .hs256
      case ("RSA", nil): expected = .rs256
      case ("EC", "P-256"): expected = .es256
      case ("OKP", "Ed25519"): expected = .eddsa
      case _: return nil
      }
      if let algorithm = try object.text("alg"), algorithm != expected.rawValue { return nil }
      guard object["d"] == nil else {
        throw TokenKeyError("there is a private key in it, which only the issuer of tokens may have")
      }
      if expected == .hs256 { return try TokenKey(secret: try object.bytes("k"), id: id) }
      guard let key = try publicKey(object, expected) else {
        ERR_clear_error()
        throw TokenKeyError("a public key in it is none of \(expected.rawValue)")
      }
      return try TokenKey(owning: key, id: id)
    }

    private static func publicKey(
      _ object: KeyObject, _ algorithm: TokenKey.Algorithm
    ) throws(TokenKeyError) -> OpaquePointer? {
      switch algorithm {
      case .rs256:
        let (n, e) = (try object.bytes("n"), try object.bytes("e"))
        guard n.count <= TokenLimits.modulusBits.upperBound / 8, e.count <= 8, e.last.map({ $0 & 1 == 1 }) == true,
          e != [1]
        else { return nil }
        return baize_make_rsa_key(n, n.count, e, e.count)
      case .es256:
        let (x, y) = (try object.bytes("x"), try object.bytes("y"))
        guard x.count == 32, y.count == 32 else { return nil }
        return baize_make_p256_key([4] + x + y, 65)
      case .eddsa:
        let x = try object.bytes("x")
        return x.count == 32 ? EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, x, x.count) : nil
      case .hs256: return nil
      }
    }
  }

  /// A JSON object of a key.
  private struct KeyObject {
    private let members: [String: JSON]

    init(_ json: JSON) throws(TokenKeyError) {
      guard case .object(let members) = json.content else { throw TokenKeyError("a key is no JSON object") }
      self.members = Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
    }

    subscript(key: String) -> JSON? { members[key] }

    func text(_ key: String) throws(TokenKeyError) -> String? {
      guard let value = members[key] else { return nil }
      guard case .text(let text) = value.content else { throw TokenKeyError("'\(key)' of a key is not a text") }
      return text
    }

    func bytes(_ key: String) throws(TokenKeyError) -> [UInt8] {
      guard let text = try text(key), let bytes = Base64URL.decoded(Array(text.utf8)) else {
        throw TokenKeyError("'\(key)' of a key is missing, or is not base64url without padding")
      }
      return bytes
    }
  }
#endif
