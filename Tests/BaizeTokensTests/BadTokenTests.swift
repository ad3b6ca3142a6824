#if OpenSSL
  import BaizeSync
  import BaizeTable
  import BaizeWire
  import Testing

  @testable import BaizeTokens

  /// Tokens with a signature that holds, unless a case says otherwise, and one thing that is wrong.
  @Suite struct BadTokenTests {
    private static let now: Int64 = 1_800_000_000
    private static let secret = [UInt8]("0123456789abcdef0123456789abcdef".utf8)
    private let verifier: TokenVerifier

    init() throws {
      let key = String(decoding: Base64URL.encoded(Self.secret), as: UTF8.self)
      verifier = try TokenVerifier(
        parsing: Array(#"{"keys":[{"kty":"oct","kid":"one","k":"\#(key)"}]}"#.utf8),
        TokenDemands(issuers: ["app"], audience: "tables"))
    }

    // MARK: Making

    private static let header = #"{"alg":"HS256","kid":"one"}"#
    private static let rights = #"{"tables":["board-42","team7-*"],"role":"player"}"#

    /// The members of a token that is right, with some replaced, added or, by an empty text, left out.
    private static func claims(_ changes: [String: String] = [:]) -> String {
      var members = [
        "iss": #""app""#, "aud": #""tables""#, "sub": #""ann""#, "exp": "\(now + 600)", "baize": rights,
      ]
      members.merge(changes) { $1 }
      return "{"
        + members.filter { $0.value != "" }.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
        .joined(separator: ",") + "}"
    }

    /// Returns the claims that are right behind others.
    private static func behind(_ members: String) -> String { members + String(claims().dropFirst()) }

    private static func encoded(_ text: String) -> [UInt8] { Base64URL.encoded(Array(text.utf8)) }

    private static func token(_ header: String, _ claims: String, _ secret: [UInt8] = secret) -> [UInt8] {
      let message = encoded(header) + [UInt8(ascii: ".")] + encoded(claims)
      return message + [UInt8(ascii: ".")] + Base64URL.encoded(TokenKey.code(of: message, secret) ?? [])
    }

    private func refusal(_ token: [UInt8]) -> TokenRefusal? {
      do throws(TokenRefusal) {
        _ = try verifier.verify(token, at: Self.now)
        return nil
      } catch {
        return error
      }
    }

    // MARK: Tokens that are right

    @Test(arguments: [
      claims(), claims(["exp": "\(now - 29)"]), claims(["exp": "\(now + 86_400)"]), claims(["exp": "\(now + 600).5"]),
      claims(["nbf": "\(now + 30)"]), claims(["nbf": "0"]), claims(["aud": #"["other","tables"]"#]),
      claims(["iat": "\(now)", "custom": #"{"any":["thing"]}"#]), claims(["jti": #""7""#]),
    ])
    func `a token that is right is accepted`(claims: String) throws {
      let found = try verifier.verify(Self.token(Self.header, claims), at: Self.now)
      #expect(found.rights.issuer == "app")
      #expect(found.rights.subject == "ann")
      #expect(found.rights.role == .player)
      #expect(found.rights.name == nil)
    }

    @Test func `the seat is that of the token`() throws {
      let rights = #"{"tables":["*"],"role":"player","seat":4}"#
      let found = try verifier.verify(Self.token(Self.header, Self.claims(["baize": rights])), at: Self.now)
      #expect(found.rights.seat == SeatNumber(rawValue: 4))
    }

    @Test func `one of several issuers is the person's`() throws {
      let key = String(decoding: Base64URL.encoded(Self.secret), as: UTF8.self)
      let verifier = try TokenVerifier(
        parsing: Array(#"{"kty":"oct","k":"\#(key)"}"#.utf8), TokenDemands(issuers: ["app", "b"], audience: "tables"))
      for issuer in ["app", "b"] {
        let token = Self.token(#"{"alg":"HS256"}"#, Self.claims(["iss": "\"\(issuer)\""]))
        #expect(try verifier.verify(token, at: Self.now).rights.issuer == issuer)
      }
      let other = Self.token(#"{"alg":"HS256"}"#, Self.claims(["iss": #""c""#]))
      #expect(throws: TokenRefusal.self) { try verifier.verify(other, at: Self.now) }
    }

    @Test func `the claims are what the token says`() throws {
      let rights = #"{"tables":["board-42","team7-*"],"role":"viewer","name":"Ann"}"#
      let found = try verifier.verify(
        Self.token(#"{"alg":"HS256"}"#, Self.claims(["baize": rights, "jti": #""7""#])), at: Self.now)
      #expect(found.expires == Self.now + 600)
      #expect(found.rights.tokenID == "7")
      #expect(found.rights.role == .spectator)
      #expect(found.rights.name == "Ann")
      for (table, isAdmitted) in [
        ("board-42", true), ("board-421", false), ("board-4", false), ("team7-", true), ("team7-x", true),
        ("team7", false),
        ("Board-42", false), ("", false),
      ] {
        #expect(found.rights.admits(to: table) == isAdmitted, "\(table)")
      }
    }

    // MARK: Tokens that are not

    private static let badHeaders: [String] = [
      "", "null", "[]", "1", #""HS256""#, "{}", #"{"alg":null}"#, #"{"alg":1}"#, #"{"alg":["HS256"]}"#,
      #"{"alg":"none"}"#, #"{"alg":"None"}"#, #"{"alg":"NONE"}"#, #"{"alg":"nOnE","kid":"one"}"#, #"{"alg":""}"#,
      #"{"alg":"hs256"}"#, #"{"alg":"HS384"}"#, #"{"alg":"HS512"}"#, #"{"alg":"RS256"}"#, #"{"alg":"ES256"}"#,
      #"{"alg":"EdDSA"}"#, #"{"alg":"PS256"}"#, #"{"alg":"RSA-OAEP","enc":"A128GCM"}"#,
      #"{"alg":"dir","enc":"A128GCM"}"#,
      #"{"alg":"HS256 "}"#, #"{"alg":"HS256\u0000"}"#, #"{"ALG":"HS256"}"#, #"{"Alg":"HS256"}"#,
      #"{"alg":"HS256","alg":"HS256"}"#, #"{"alg":"none","alg":"HS256"}"#, #"{"alg":"HS256","alg":"none"}"#,
      #"{"alg":"HS256","al\u0067":"none"}"#, #"{"alg":"HS256","kid":"one","kid":"one"}"#,
      #"{"alg":"HS256","kid":"two"}"#, #"{"alg":"HS256","kid":""}"#, #"{"alg":"HS256","kid":"One"}"#,
      #"{"alg":"HS256","kid":"one "}"#, #"{"alg":"HS256","kid":null}"#, #"{"alg":"HS256","kid":1}"#,
      #"{"alg":"HS256","kid":["one"]}"#, #"{"alg":"HS256","kid":{"one":1}}"#, #"{"alg":"HS256","kid":true}"#,
      #"{"alg":"HS256","kid":"/dev/null"}"#, #"{"alg":"HS256","kid":"../../etc/passwd"}"#,
      #"{"alg":"HS256","kid":"' OR 1=1 --"}"#, #"{"alg":"HS256","kid":"one' UNION SELECT 'x"}"#,
      #"{"alg":"HS256","kid":"| cat /etc/passwd"}"#, #"{"alg":"HS256","kid":"https://example.org/key"}"#,
      #"{"alg":"HS256","kid":"one\u0000"}"#, #"{"alg":"HS256","kid":"\#(String(repeating: "k", count: 300))"}"#,
      #"{"alg":"HS256","kid":"one","crit":["exp"]}"#, #"{"alg":"HS256","kid":"one","crit":[]}"#,
      #"{"alg":"HS256","kid":"one","crit":null}"#, #"{"alg":"HS256","kid":"one","b64":false,"crit":["b64"]}"#,
      #"{"alg":"HS256","kid":"one""#, #"{"alg":"HS256","kid":"one"}}"#, #"{"alg":"HS256","kid":"one"} {}"#,
      #"{"alg":"HS256",}"#, #"{'alg':'HS256'}"#, #"{alg:"HS256"}"#, #"{"alg":"HS256"/**/}"#,
      "\u{FEFF}{\"alg\":\"HS256\"}",
      #"{"alg":"HS256","x":\#(String(repeating: "[", count: 500))\#(String(repeating: "]", count: 500))}"#,
    ]

    /// The claims of tokens with one thing wrong, beside parts of the reasons that they may be refused for.
    private static let badClaims: [(reasons: [String], claims: [String])] = [
      // The document.
      (
        ["no JSON object", "another issuer"],
        [
          "", "null", "[]", "1", #""claims""#, "{}", #"{"exp":\#(now + 600)}"#, "{\(claims())}", "[\(claims())]",
          "\(claims())\(claims())", "\(claims())x", String(claims().dropLast()),
        ]
      ),
      // The end.
      (
        ["(exp)", "'exp'"],
        [
          claims(["exp": ""]), claims(["exp": "null"]), claims(["exp": #""\#(now + 600)""#]), claims(["exp": "true"]),
          claims(["exp": "[\(now + 600)]"]), claims(["exp": "{}"]), claims(["exp": "-1"]), claims(["exp": "-\(now)"]),
          claims(["exp": "\(now + 86_431)"]), claims(["exp": "\(now + 864_000)"]), claims(["exp": "1e400"]),
          claims(["exp": "9223372036854775807"]), claims(["exp": "9223372036854775808"]), claims(["exp": "1e18"]),
          claims(["exp": "253402300800"]), claims(["exp": "0x7fffffff"]), claims(["exp": "NaN"]),
          claims(["exp": "Infinity"]),
          claims(["exp": "\(now + 600)000"]), claims(["EXP": "\(now + 600)", "exp": ""]),
          behind(#"{"exp":\#(now + 600),"#), behind(#"{"exp":\#(now - 600),"#),
        ]
      ),
      // The beginning.
      (
        ["(nbf)", "'nbf'"],
        [
          claims(["nbf": "\(now + 31)"]), claims(["nbf": "\(now + 600)"]), claims(["nbf": "null"]),
          claims(["nbf": #""0""#]),
          claims(["nbf": "-1"]), claims(["nbf": "1e400"]), claims(["nbf": "9223372036854775807"]),
          claims(["nbf": "[]"]),
        ]
      ),
      // The issuer.
      (
        ["another issuer", "'iss'"],
        [
          claims(["iss": ""]), claims(["iss": "null"]), claims(["iss": #""""#]), claims(["iss": #""App""#]),
          claims(["iss": #""app ""#]), claims(["iss": #"" app""#]), claims(["iss": #""app\u0000""#]),
          claims(["iss": #"["app"]"#]),
          claims(["iss": "1"]), claims(["iss": #""other""#]), claims(["iss": #""https://app""#]),
          behind(#"{"iss":"app","#), behind(#"{"iss":"other","#),
          behind(#"{"is\u0073":"other","#),
        ]
      ),
      // The audience.
      (
        ["another audience", "'aud'"],
        [
          claims(["aud": ""]), claims(["aud": "null"]), claims(["aud": #""""#]), claims(["aud": "[]"]),
          claims(["aud": #""table""#]),
          claims(["aud": #""tables ""#]), claims(["aud": #"["other"]"#]), claims(["aud": #"[["tables"]]"#]),
          claims(["aud": #"{"tables":1}"#]), claims(["aud": #"["tables",1]"#]), claims(["aud": "true"]),
          claims(["aud": #""Tables""#]), claims(["aud": #""tables,other""#]), claims(["aud": #""*""#]),
        ]
      ),
      // The subject and the id.
      (
        ["(sub)", "'sub'", "'jti'"],
        [
          claims(["sub": ""]), claims(["sub": "null"]), claims(["sub": #""""#]), claims(["sub": "7"]),
          claims(["sub": #"["ann"]"#]),
          claims(["sub": "\"\(String(repeating: "s", count: 256))\""]), claims(["jti": "7"]), claims(["jti": "null"]),
          claims(["jti": "\"\(String(repeating: "j", count: 256))\""]), behind(#"{"sub":"bob","#),
        ]
      ),
      // The rights.
      (
        ["baize", "'tables'", "'role'", "'seat'", "'name'"],
        [
          claims(["baize": ""]), claims(["baize": "null"]), claims(["baize": "true"]), claims(["baize": "[]"]),
          claims(["baize": #""*""#]), claims(["baize": "{}"]), claims(["baize": #"["board-42"]"#]),
          claims(["Baize": rights, "baize": ""]),
          claims(["baize": #"{"tables":["board-42"]}"#]), claims(["baize": #"{"role":"player"}"#]),
          claims(["baize": #"{"tables":[],"role":"player"}"#]), claims(["baize": #"{"tables":"*","role":"player"}"#]),
          claims(["baize": #"{"tables":null,"role":"player"}"#]),
          claims(["baize": #"{"tables":{"board-42":1},"role":"player"}"#]),
          claims(["baize": #"{"tables":[1],"role":"player"}"#]),
          claims(["baize": #"{"tables":[null],"role":"player"}"#]),
          claims(["baize": #"{"tables":[""],"role":"player"}"#]),
          claims(["baize": #"{"tables":["**"],"role":"player"}"#]),
          claims(["baize": #"{"tables":["*-board"],"role":"player"}"#]),
          claims(["baize": #"{"tables":["a*b"],"role":"player"}"#]),
          claims(["baize": #"{"tables":["a b"],"role":"player"}"#]),
          claims(["baize": #"{"tables":["a/b"],"role":"player"}"#]),
          claims(["baize": #"{"tables":["ä"],"role":"player"}"#]),
          claims(["baize": #"{"tables":["a\u0000"],"role":"player"}"#]),
          claims(["baize": #"{"tables":["a?"],"role":"player"}"#]),
          claims(["baize": #"{"tables":["[ab]"],"role":"player"}"#]),
          claims(["baize": #"{"tables":["\#(String(repeating: "t", count: 65))"],"role":"player"}"#]),
          claims(["baize": #"{"tables":["board-42",""],"role":"player"}"#]),
          claims(["baize": #"{"tables":["*",1],"role":"player"}"#]),
          claims([
            "baize": #"{"tables":[\#(Array(repeating: #""t""#, count: 65).joined(separator: ","))],"role":"player"}"#
          ]
          ),
          claims(["baize": #"{"tables":["*"],"role":"host"}"#]),
          claims(["baize": #"{"tables":["*"],"role":"Player"}"#]),
          claims(["baize": #"{"tables":["*"],"role":""}"#]), claims(["baize": #"{"tables":["*"],"role":null}"#]),
          claims(["baize": #"{"tables":["*"],"role":0}"#]), claims(["baize": #"{"tables":["*"],"role":["player"]}"#]),
          claims(["baize": #"{"tables":["*"],"role":"spectator"}"#]),
          claims(["baize": #"{"tables":["*"],"role":"admin"}"#]),
          claims(["baize": #"{"tables":["*"],"role":"player","role":"viewer"}"#]),
          claims(["baize": #"{"tables":["*"],"role":"viewer","rol\u0065":"player"}"#]),
          claims(["baize": #"{"tables":["*"],"tables":["*"],"role":"player"}"#]),
          claims(["baize": #"{"tables":["*"],"role":"player","rights":"all"}"#]),
          claims(["baize": #"{"table":["*"],"tables":["*"],"role":"player"}"#]),
          claims(["baize": #"{"tables":["*"],"role":"player","name":1}"#]),
          claims(["baize": #"{"tables":["*"],"role":"player","name":null}"#]),
          claims(["baize": #"{"tables":["*"],"role":"player","name":"\#(String(repeating: "n", count: 65))"}"#]),
          claims(["baize": #"{"tables":["*"],"role":"player","seat":0}"#]),
          claims(["baize": #"{"tables":["*"],"role":"player","seat":-1}"#]),
          claims(["baize": #"{"tables":["*"],"role":"player","seat":1.5}"#]),
          claims(["baize": #"{"tables":["*"],"role":"player","seat":"1"}"#]),
          claims(["baize": #"{"tables":["*"],"role":"player","seat":null}"#]),
          claims(["baize": #"{"tables":["*"],"role":"player","seat":4294967296}"#]),
          claims(["baize": #"{"tables":["*"],"role":"viewer","seat":1}"#]),
          behind(#"{"baize":{"tables":["*"],"role":"player"},"#),
        ]
      ),
    ]

    @Test func `tokens with one thing wrong in the header are refused`() {
      for header in Self.badHeaders {
        expectRefused(Self.token(header, Self.claims()), header, ["header", "(kid)", "'alg'", "'kid'"])
      }
    }

    @Test func `tokens with one thing wrong in the claims are refused`() {
      for (reasons, all) in Self.badClaims {
        for claims in all { expectRefused(Self.token(Self.header, claims), claims, reasons) }
      }
      let claims = Self.badClaims.flatMap { $0.claims }.map { Self.token(Self.header, $0) }
      let headers = Self.badHeaders.map { Self.token($0, Self.claims()) }
      #expect(Set(headers + claims + badForms.map { $0.token }).count >= 200)
    }

    /// Tokens whose form or signature is wrong.
    private var badForms: [(name: String, token: [UInt8])] {
      let dot = UInt8(ascii: ".")
      let token = Self.token(Self.header, Self.claims())
      let parts = token.split(separator: dot).map(Array.init)
      func joined(_ parts: [[UInt8]]) -> [UInt8] { Array(parts.joined(separator: [dot])) }
      let message = joined(Array(parts.prefix(2)))
      let code = TokenKey.code(of: message, Self.secret) ?? []
      return [
        ("nothing", []), ("a dot", [dot]), ("two dots", [dot, dot]), ("three dots", [dot, dot, dot]),
        ("one part", parts[0]), ("two parts", message), ("no signature", message + [dot]),
        ("four parts", token + [dot] + parts[2]), ("a part of nothing behind", token + [dot]),
        ("five parts, as of an encrypted one", joined(parts + parts)), ("no header", joined([[], parts[1], parts[2]])),
        ("no claims", joined([parts[0], [], parts[2]])), ("padding", token + [UInt8(ascii: "=")]),
        ("a line's end", token + [10]), ("a space before", [32] + token),
        ("Bearer before", Array("Bearer ".utf8) + token),
        ("a zero behind", token + [0]), ("half", Array(token.prefix(token.count / 2))),
        ("half a signature", message + [dot] + Base64URL.encoded(code.prefix(16))),
        ("a signature and more", message + [dot] + Base64URL.encoded(code + [0])),
        ("a signature of zeros", message + [dot] + Base64URL.encoded([UInt8](repeating: 0, count: 32))),
        ("the signature in hexadecimal", message + [dot] + Array(code.map { String($0, radix: 16) }.joined().utf8)),
        ("another secret", Self.token(Self.header, Self.claims(), [UInt8](repeating: 7, count: 32))),
        ("an empty secret", Self.token(Self.header, Self.claims(), [])),
        ("a secret of zeros", Self.token(Self.header, Self.claims(), [UInt8](repeating: 0, count: 32))),
        ("the key's id as secret", Self.token(Self.header, Self.claims(), Array("one".utf8))),
        (
          "other claims under the signature",
          joined([parts[0], Self.encoded(Self.claims(["sub": #""bob""#])), parts[2]])
        ),
        ("another header under the signature", joined([Self.encoded(#"{"alg":"HS256"}"#), parts[1], parts[2]])),
        ("JSON instead of its encoding", Array((Self.header + "." + Self.claims() + ".").utf8)),
        ("10 MB", message + [UInt8](repeating: UInt8(ascii: "A"), count: 10 << 20)),
        ("10 MB of dots", [UInt8](repeating: dot, count: 10 << 20)),
        (
          "10 MB, signed", Self.token(Self.header, Self.claims(["x": "\"\(String(repeating: "x", count: 10 << 20))\""]))
        ),
        ("one byte more than a token may have", Self.padded(to: WireLimits.signedTokenBytesMax + 1)),
      ]
    }

    /// Returns a token of at least so many bytes, whose signature holds.
    private static func padded(to count: Int) -> [UInt8] {
      var padding = count * 11 / 16
      while true {
        let token = token(header, claims(["x": "\"\(String(repeating: "x", count: padding))\""]))
        if token.count >= count { return token }
        padding += 1
      }
    }

    @Test func `tokens of another form, or with another signature, are refused`() {
      let reasons = ["three parts", "base64url", "too long", "signature", "header"]
      for (name, token) in badForms { expectRefused(token, name, reasons) }
    }

    @Test func `a token has expired only if it is right otherwise`() {
      let past = ["exp": "\(Self.now - 30)"]
      #expect(refusal(Self.token(Self.header, Self.claims(past)))?.isExpired == true)
      for change in [
        ["aud": #""other""#], ["iss": #""other""#], ["baize": "{}"], ["nbf": "\(Self.now + 600)"], ["sub": ""],
      ] {
        let token = Self.token(Self.header, Self.claims(past.merging(change) { $1 }))
        #expect(refusal(token)?.isExpired == false, "\(change)")
      }
      #expect(
        refusal(Self.token(Self.header, Self.claims(past), [UInt8](repeating: 7, count: 32)))?.isExpired == false)
    }

    /// The time until it ends is the daemon's to count: it does not end before.
    @Test func `expiry is at the end and the leeway`() {
      for (seconds, isExpired) in [(-31, true), (-30, true), (-29, false), (0, false)] {
        let found = refusal(Self.token(Self.header, Self.claims(["exp": "\(Self.now + Int64(seconds))"])))
        #expect((found != nil) == isExpired, "\(seconds)")
      }
    }

    private func expectRefused(_ token: [UInt8], _ name: String, _ reasons: [String]) {
      let found = refusal(token)
      #expect(found != nil, "accepted: \(name.prefix(200))")
      let said = found?.description ?? ""
      // What is no JSON is so wherever the mistake is.
      #expect(
        (reasons + ["are no JSON, or one is there twice"]).contains(where: said.contains),
        "\(said): \(name.prefix(200))")
      #expect(found?.isExpired != true, "\(name.prefix(200))")
    }
  }
#endif
