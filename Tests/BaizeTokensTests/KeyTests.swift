#if OpenSSL
  import BaizeLaboratory
  import BaizeSync
  import Foundation
  import TestSupport
  import Testing

  @testable import BaizeTokens

  /// Files of keys.
  @Suite struct KeyTests {
    private let folder: TemporaryFolder
    private let demands = TokenDemands(issuers: ["app"], audience: "tables")

    init() throws { folder = try TemporaryFolder() }

    private func failure(_ text: String) -> String {
      do throws(TokenKeyError) {
        _ = try TokenVerifier(parsing: Array(text.utf8), demands)
        return ""
      } catch {
        return error.description
      }
    }

    @Test func `keys that cannot be used are refused in words, without a byte of them`() {
      let secret = String(repeating: "c2VjcmV0", count: 6)
      for (text, words) in [
        ("", "neither a JWK set"), ("{}", "there is no key"), ("{\"keys\":[]}", "there is no key"), ("[]", "neither"),
        ("{\"keys\":{}}", "'keys' is not a list"), ("{\"keys\":[1]}", "a key is no JSON object"),
        ("{\"kty\":\"oct\",\"kty\":\"oct\",\"k\":\"\(secret)\"}", "has a member twice"),
        ("{\"kty\":\"oct\",\"k\":\"\(secret.dropLast(8))A\"}", "not base64url"),
        ("{\"kty\":\"oct\",\"k\":\"\(secret)=\"}", "not base64url"), ("{\"kty\":\"oct\"}", "'k' of a key is missing"),
        ("{\"kty\":\"oct\",\"k\":\"c2VjcmV0\"}", "at least 32 are needed"),
        ("{\"kty\":\"oct\",\"k\":7}", "is not a text"),
        ("{\"kty\":7}", "'kty' of a key is not a text"),
        (Examples.privateKey, "only the issuer of tokens may have"),
        ("{\"keys\":[\(Examples.hs256.key),\(Examples.privateKey)]}", "only the issuer of tokens may have"),
        ("{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AAAA\"}", "none of EdDSA"),
        ("{\"kty\":\"RSA\",\"n\":\"\(secret)\",\"e\":\"AQAB\"}", "a key of RSA has"),
        (Examples.rs256.key.replacing("AQAB", with: "AQ"), "none of RS256"),
        (Examples.rs256.key.replacing("AQAB", with: "Ag"), "none of RS256"),
        (Examples.rs256.key.replacing("AQAB", with: "AAE"), "an exponent below 3"),
        // A point that is on no curve.
        (Examples.es256.key.replacing("f83O", with: "f83P"), "none of ES256"),
        ("{\"keys\":[\(Array(repeating: Examples.hs256.key, count: 17).joined(separator: ","))]}", "at most 16"),
        (
          "{\"keys\":[\(Array(repeating: Examples.eddsa.key.replacing("{", with: "{\"kid\":\"a\","), count: 2).joined(separator: ","))]}",
          "the same id"
        ),
        ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "malformed"),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "only the issuer of tokens may have"),
        ("-----BEGIN DH PARAMETERS-----\nAAAA\n-----END DH PARAMETERS-----\n", "other things"),
      ] {
        let found = failure(text)
        #expect(found.contains(words), "\(text.prefix(80)): \(found)")
        #expect(!found.contains("c2VjcmV0") && !found.contains("nWGxne"))
      }
    }

    @Test(arguments: [
      "\"use\":\"enc\"", "\"alg\":\"HS512\"", "\"key_ops\":[\"sign\"]", "\"kty\":\"new\"", "\"crv\":\"P-256\"",
    ])
    func `keys of a provider for another purpose are left out`(member: String) throws {
      let other =
        "{\(member),\"k\":\"\(String(repeating: "c2VjcmV0", count: 6))\"\(member.contains("kty") ? "" : ",\"kty\":\"oct\"")}"
      let set = "{\"keys\":[\(other),\(Examples.eddsa.key)]}"
      #expect(try TokenVerifier(parsing: Array(set.utf8), demands).keyCount == 1)
    }

    /// Each algorithm with a key in PEM form: a token of another program is accepted, and its public key is no secret of HS256.
    @Test(
      .needs(.openssl),
      arguments: [
        ("RS256", ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]),
        ("ES256", ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]), ("EdDSA", ["-algorithm", "ED25519"]),
      ])
    func `public keys in PEM form verify tokens`(algorithm: String, options: [String]) throws {
      let files = ["key.pem", "public.pem", "data", "signature"].map(folder.path)
      try Tool.openssl.run(["genpkey"] + options + ["-out", files[0]])
      try Tool.openssl.run("pkey", "-in", files[0], "-pubout", "-out", files[1])
      let now: Int64 = 1_800_000_000
      let claims =
        #"{"iss":"app","aud":"tables","sub":"ann","exp":1800000600,"baize":{"tables":["*"],"role":"player"}}"#
      func message(_ algorithm: String) -> [UInt8] {
        Base64URL.encoded(Array(#"{"alg":"\#(algorithm)"}"#.utf8)) + [UInt8(ascii: ".")]
          + Base64URL.encoded(Array(claims.utf8))
      }
      func token(_ message: [UInt8], _ signature: [UInt8]) -> [UInt8] {
        message + [UInt8(ascii: ".")] + Base64URL.encoded(signature)
      }
      try Data(message(algorithm)).write(to: URL(fileURLWithPath: files[2]))
      if algorithm == "EdDSA" {
        try Tool.openssl.run("pkeyutl", "-sign", "-inkey", files[0], "-rawin", "-in", files[2], "-out", files[3])
      } else {
        try Tool.openssl.run("dgst", "-sha256", "-sign", files[0], "-out", files[3], files[2])
      }
      var signed = [UInt8](try Data(contentsOf: URL(fileURLWithPath: files[3])))
      if algorithm == "ES256" { signed = Self.raw(signed) }
      let verifier = try TokenVerifier(files: [files[1]], demands)
      #expect(try verifier.verify(token(message(algorithm), signed), at: now).rights.subject == "ann")
      let secret = [UInt8](try Data(contentsOf: URL(fileURLWithPath: files[1])))
      let confused = token(message("HS256"), TokenKey.code(of: message("HS256"), secret) ?? [])
      #expect(throws: TokenRefusal.self) { try verifier.verify(confused, at: now) }
      let claimed = token(message(algorithm), TokenKey.code(of: message(algorithm), secret) ?? [])
      #expect(throws: TokenRefusal.self) { try verifier.verify(claimed, at: now) }
      #expect(throws: TokenKeyError.self) { try TokenVerifier(files: [files[0]], demands) }
      // Of a file that was cut off, not the keys that are left.
      let whole = try String(contentsOfFile: files[1], encoding: .utf8)
      #expect(failure(whole + whole.dropLast(40)).contains("cut off"))
      #expect(failure(whole + "\n" + whole) == "")
    }

    /// Returns the two numbers of a signature of DER, in 32 bytes each.
    private static func raw(_ signature: [UInt8]) -> [UInt8] {
      var (bytes, position): ([UInt8], Int) = ([], 2)
      for _ in 0..<2 {
        let count = Int(signature[position + 1])
        let number = signature[(position + 2)..<(position + 2 + count)].drop { $0 == 0 }
        bytes += [UInt8](repeating: 0, count: 32 - number.count) + number
        position += 2 + count
      }
      return bytes
    }

    @Test func `a file of secrets is its owner's`() throws {
      let file = folder.path("keys.json")
      try Examples.hs256.key.write(toFile: file, atomically: true, encoding: .utf8)
      _ = chmod(file, 0o644)
      #expect(throws: TokenKeyError.self) { try TokenVerifier(files: [file], demands) }
      _ = chmod(file, 0o640)
      #expect(try TokenVerifier(files: [file], demands).keyCount == 1)
      #expect(throws: TokenKeyError.self) { try TokenVerifier(files: [folder.path("missing")], demands) }
      #expect(throws: TokenKeyError.self) { try TokenVerifier(files: [], demands) }
    }
  }
#endif
