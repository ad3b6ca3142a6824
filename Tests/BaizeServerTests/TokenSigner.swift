#if OpenSSL
  import BaizeDriver
  import BaizeLaboratory
  import BaizeSync
  import BaizeSystem
  import BaizeTransport
  import BaizeWire
  import Synchronization
  import Testing

  @testable import BaizeServer
  @testable import BaizeTokens

  /// An app's back end as tests have it: a secret in a file, and the tokens that it signs.
  struct TokenSigner: Sendable {
    let file: String

    /// Makes the secret.
    init(file: String) throws {
      self.file = file
      try writeSecret()
    }

    /// Makes another secret in its place.
    func writeSecret() throws {
      let stream = try #require(fopen(file, "w"))
      fputs(TokenIssuer.newFile(), stream)
      fclose(stream)
      _ = chmod(file, 0o600)
    }

    /// The configuration of a daemon that admits only those whom the back end vouches for.
    func configuration(revocations: String? = nil) -> TokenConfiguration {
      TokenConfiguration(keyFiles: [file], issuers: ["app"], audience: "tables", revocationFile: revocations)
    }

    /// Returns a token that ends in so many seconds, the leeway included.
    func token(
      _ tables: String = #""*""#, subject: String = "ann", role: String = "player", seconds: Int64 = 600,
      more: String = "", claims: String = ""
    ) throws -> String {
      try TokenIssuer(file: file).token(
        claims: """
          {"iss":"app","aud":"tables","sub":"\(subject)",
           "exp":\(Int64(time(nil)) + seconds - TokenLimits.leewaySeconds),
           "baize":{"tables":[\(tables)],"role":"\(role)"\(more)}\(claims)}
          """)
    }
  }

  /// Counts how often an app's function is called.
  final class CallCounter: Sendable {
    private let state = Mutex(0)

    var count: Int { state.withLock { $0 } }

    /// Returns the number of this call, from 1.
    func next() -> Int {
      state.withLock { count in
        count += 1
        return count
      }
    }
  }

  extension Server {
    /// The number of sessions that were resumed.
    var resumed: Int { Int(statistics.operations.resumedByDiffs + statistics.operations.resumedBySnapshot) }

    /// Returns how the daemon refuses a hello; `nil` if it does not.
    func goodbye(to hello: Hello) throws -> Goodbye? {
      let client = try BlockingClient(address)
      client.send(.hello(hello))
      return try client.goodbye()
    }
  }
#endif
