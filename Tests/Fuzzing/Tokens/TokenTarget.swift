#if OpenSSL
  import BaizeSync
  import BaizeTable
  import BaizeWire

  @testable import BaizeTokens

  /// Signed tokens, what is below their signature, and the files of keys. No token is accepted that was not signed with the secret, byte
  /// for byte, and of what is signed nothing that is not right in every part. Whatever its form, each input is also read as changes of
  /// a signed token: as many runs, as many mutated tokens at least.
  enum TokenTarget {
    private enum Form: UInt8 {
      /// The input is a token.
      case token
      /// The input is the claims of a token that is signed.
      case claims
      /// The input is the header of such a token, a line's end and its claims.
      case header
      /// The input is a file of keys.
      case keys
    }

    private static let now: Int64 = 1_800_000_000
    private static let secret = Array("0123456789abcdef0123456789abcdef".utf8)
    private static let demands = TokenDemands(issuers: ["app"], audience: "tables")
    private static let header = Array(#"{"alg":"HS256","kid":"one"}"#.utf8)

    /// The secret beside public keys, so that one may be tried for another. (The latter are those of RFC 7515 and RFC 8037.)
    private static let keys =
      #"{"keys":[{"kty":"oct","kid":"one","k":"\#(String(decoding: Base64URL.encoded(secret), as: UTF8.self))"},"#
      + #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","#
      + #""y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},"#
      + #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#

    private static let verifier = try? TokenVerifier(parsing: Array(keys.utf8), demands)

    private static let documents = [
      #"{"iss":"app","aud":"tables","sub":"ann","exp":1800000600,"baize":{"tables":["*"],"role":"player"}}"#,
      #"{"iss":"app","aud":["x","tables"],"sub":"b","jti":"7","nbf":0,"exp":1.8000006e9,"#
        + #""baize":{"tables":["a-*","b"],"role":"player","seat":2,"name":"Ann"}}"#,
      #"{"iss":"app","aud":"tables","sub":"ann","exp":1800000600,"baize":{"tables":["t"],"role":"viewer"}}"#,
    ]

    static var seeds: [[UInt8]] {
      let documents = documents.map { Array($0.utf8) }
      return documents.map { [Form.token.rawValue] + token(header, $0) } + documents.map { [Form.claims.rawValue] + $0 }
        + documents.map { [Form.header.rawValue] + header + [10] + $0 } + [[Form.keys.rawValue] + Array(keys.utf8)]
    }

    static func run(_ input: [UInt8]) -> Bool {
      guard let verifier else { fatalError("BROKEN: the keys of this target cannot be used") }
      guard let first = input.first, let form = Form(rawValue: first & 3) else { return false }
      let rest = Array(input.dropFirst())
      _ = isAccepted(mutated(by: rest), by: verifier)
      switch form {
      case .token: return isAccepted(rest, by: verifier)
      case .claims: return find(token(header, rest), by: verifier)
      case .header:
        let parts = rest.split(separator: 10, maxSplits: 1, omittingEmptySubsequences: false).map(Array.init)
        return find(token(parts[0], parts.count > 1 ? parts[1] : []), by: verifier)
      case .keys: return (try? TokenVerifier(parsing: rest, demands)) != nil
      }
    }

    private static let signed = documents.map { token(header, Array($0.utf8)) }

    /// Returns a signed token with a change by each three bytes of the input: where, how, and which byte.
    private static func mutated(by input: [UInt8]) -> [UInt8] {
      var token = signed[Int(input.first ?? 0) % signed.count]
      for start in stride(from: 1, to: min(input.count, changesMax * 3) - 2, by: 3) where !token.isEmpty {
        let (place, byte) = (Int(input[start]) * token.count / 256 + Int(input[start + 1] >> 5), input[start + 2])
        let position = min(place, token.count - 1)
        switch input[start + 1] & 7 {
        case 0: token[position] = byte
        case 1: token[position] ^= 1 << (byte & 7)
        case 2: token.remove(at: position)
        case 3: token.insert(byte, at: position)
        case 4: token.swapAt(position, Int(byte) % token.count)
        case 5: token.removeLast(min(token.count, Int(byte & 15) + 1))
        case 6: token.append(byte)
        // A digit that could be the same bits, as of the last one of a part.
        case _: token[position] = token[position] &+ 1
        }
      }
      return token
    }

    private static let changesMax = 8

    private static func token(_ header: [UInt8], _ claims: [UInt8]) -> [UInt8] {
      let message = Base64URL.encoded(header) + [UInt8(ascii: ".")] + Base64URL.encoded(claims)
      return message + [UInt8(ascii: ".")] + Base64URL.encoded(TokenKey.code(of: message, secret) ?? [])
    }

    /// Nobody but this target has the secret: whatever else comes is forged.
    private static func isAccepted(_ token: [UInt8], by verifier: TokenVerifier) -> Bool {
      let isAccepted = find(token, by: verifier)
      hold(!isAccepted || signed.contains(token), "a token is accepted that nobody has signed")
      return isAccepted
    }

    /// Returns whether a token is accepted, whose claims are within their limits then.
    private static func find(_ token: [UInt8], by verifier: TokenVerifier) -> Bool {
      do throws(TokenRefusal) {
        let claims = try verifier.verify(token, at: now)
        let rights = claims.rights
        hold(rights.issuer == "app" && !rights.subject.isEmpty, "the person is \(rights.issuer) \(rights.subject)")
        hold(
          !rights.tables.isEmpty && rights.tables.count <= TokenLimits.patternsMax, "\(rights.tables.count) patterns")
        hold(rights.seat == nil || rights.role == .player, "a viewer has a seat")
        hold(
          claims.expires + TokenLimits.leewaySeconds > now
            && claims.expires <= now + TokenLimits.lifetimeSecondsMax + TokenLimits.leewaySeconds,
          "the end is \(claims.expires)")
        return true
      } catch {
        return false
      }
    }
  }
#endif
