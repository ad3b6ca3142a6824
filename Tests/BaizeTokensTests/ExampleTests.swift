#if OpenSSL
  import Testing

  @testable import BaizeTokens

  @Suite struct ExampleTests {
    private let demands = TokenDemands(issuers: ["joe"], audience: "a")

    @Test func `the examples of RFC 7515, 7519 and 8037 are signed by their keys, alone and in a set`() throws {
      let set = Array(("{\"keys\":[" + Examples.all.map(\.key).joined(separator: ",") + "]}").utf8)
      for example in Examples.all {
        for keys in [Array(example.key.utf8), set] {
          let verifier = try TokenVerifier(parsing: keys, demands)
          #expect(try verifier.payload(of: Array(example.token.utf8)) == Array(example.signed.utf8))
        }
      }
      #expect(try TokenVerifier(parsing: set, demands).keyCount == 4)
    }

    @Test func `no key signs for another, and nothing is accepted that is not signed`() throws {
      for (number, example) in Examples.all.enumerated() {
        let others = Examples.all.indices.filter { $0 != number }.map { Examples.all[$0].key }
        let verifier = try TokenVerifier(parsing: Array("{\"keys\":[\(others.joined(separator: ","))]}".utf8), demands)
        #expect(throws: TokenRefusal.self) { try verifier.payload(of: Array(example.token.utf8)) }
        let own = try TokenVerifier(parsing: Array(example.key.utf8), demands)
        #expect(throws: TokenRefusal.self) { try own.payload(of: Array(Examples.unsecured.utf8)) }
      }
    }

    /// Each change of one character changes what is said or the signature: base64url has one form for each.
    @Test func `a token with any other character is refused`() throws {
      let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ ".utf8)
      for example in Examples.all {
        let verifier = try TokenVerifier(parsing: Array(example.key.utf8), demands)
        let token = Array(example.token.utf8)
        for position in token.indices {
          var changed = token
          let step = position % (digits.count - 1) + 1
          changed[position] = digits[((digits.firstIndex(of: token[position]) ?? 0) + step) % digits.count]
          guard changed != token else { continue }
          #expect(throws: TokenRefusal.self, "character \(position), step \(step)") {
            try verifier.payload(of: changed)
          }
        }
        for count in 0..<token.count {
          #expect(throws: TokenRefusal.self, "\(count) characters") {
            try verifier.payload(of: Array(token.prefix(count)))
          }
        }
      }
    }

    @Test func `bytes and texts of base64url are one to one`() {
      for count in 0..<20 {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 200) }
        let text = Base64URL.encoded(bytes)
        #expect(Base64URL.decoded(text) == bytes)
        #expect(Base64URL.decoded(text + [UInt8(ascii: "=")]) == nil)
      }
      for text in ["A", "AB", "ABC", "A A=", "AA+A", "AA/A", "AA\nA", "AAA=", "AA=="] {
        #expect(Base64URL.decoded(Array(text.utf8)) == nil, "\(text)")
      }
      #expect(Base64URL.decoded(Array("AA".utf8)) == [0])
    }
  }
#endif
