#if OpenSSL
  import BaizeClient
  import BaizeDriver
  import BaizeLaboratory
  import BaizeSync
  import BaizeSystem
  import BaizeTable
  import BaizeTransport
  import BaizeWire
  import Synchronization
  import TestSupport
  import Testing

  @testable import BaizeServer
  @testable import BaizeTokens

  extension ServerTests {
    /// J23: a daemon that admits only those whom an app's back end vouches for.
    @Suite struct SignedTokens {
      private let folder: TemporaryFolder
      private let signer: TokenSigner

      init() throws {
        folder = try TemporaryFolder()
        signer = try TokenSigner(file: folder.path("secret.json"))
      }

      @Test func `an address whose tokens were refused has others looked at a minute later`() {
        let host = SocketAddress.loopback(port: 1).host
        let begun = Instant(nanoseconds: 3_600_000_000_000)
        var counts = RefusalCounts()
        for _ in 0..<ServerLimits.tokensRefusedPerAddressMax {
          let isAdmitted = counts.admits(host, at: begun)
          #expect(isAdmitted)
          counts.note(host, at: begun)
        }
        let later = [0, 59, 60].map { counts.admits(host, at: begun.advanced(bySeconds: $0)) }
        #expect(later == [false, false, true])
      }

      private func withTokens(
        _ change: (inout ServerConfiguration) -> Void = { _ in }, _ body: (Server) async throws -> Void
      ) async throws {
        try await withServer(
          {
            $0.tokens = signer.configuration()
            change(&$0)
          }, body)
      }

      @Test(arguments: [true, false])
      func `only clients with a token for the table join, and others learn nothing`(isOpen: Bool) async throws {
        try await withTokens({ $0.isOpen = isOpen }) { server in
          let client = try BlockingClient(server.address)
          let good = Hello(table: "team7-a", tableType: "list", signedToken: try signer.token(#""team7-*""#))
          let joined = try client.join(good)
          #expect(joined.welcome.seat.rawValue == 1)
          #expect(joined.welcome.invite == "", "a token stands for an invite")
          var answers: [Goodbye?] = []
          let begun = ContinuousClock.now
          for bad in [
            "", "x", try signer.token(#""team8-*","team7""#), try signer.token(role: "host"),
            String(try signer.token().dropLast()),
            try signer.token(seconds: 90_000),
          ] {
            for table in ["team7-a", "nowhere"] {
              answers.append(try server.goodbye(to: Hello(table: table, tableType: "list", signedToken: bad)))
            }
          }
          let credential = [UInt8](repeating: 1, count: 32)
          answers.append(try server.goodbye(to: Hello(table: "team7-a", credential: credential)))
          #expect(answers.allSatisfy { $0 == answers[0] && $0 != nil })
          // Nothing is learnt from the time, either: none is answered before.
          let least = Duration.milliseconds(Int64(ServerLimits.tokenRefusalMilliseconds) * Int64(answers.count - 2))
          #expect(
            ContinuousClock.now - begun >= least,
            "the rightly signed ones for other tables are not refused by the verifier")
          #expect(answers[0]?.reason == .tokenRefused)
          #expect(answers[0]?.isResumable == false)
          let old = try server.goodbye(to: Hello(table: "team7-a", signedToken: try signer.token(seconds: 0)))
          #expect(old?.reason == .tokenExpired)
          #expect(old?.isResumable == true)
          let long = String(repeating: "a", count: WireLimits.signedTokenBytesMax + 1)
          #expect(try server.goodbye(to: Hello(table: "team7-a", signedToken: long))?.reason == .tokenRefused)
          #expect(server.metrics.contains("baize_signed_tokens_total{outcome=\"verified\"} 2\n"))
          let again = try BlockingClient(server.address)
          #expect(try again.join(good).welcome.session == joined.welcome.session, "it is the same person")
          #expect(server.metrics.contains("baize_signed_tokens_total{outcome=\"remembered\"} 2\n"))
        }
      }

      @Test func `a viewer has no seat, and a name is the token's`() async throws {
        try await withTokens { server in
          let player = try BlockingClient(server.address)
          let joined = try player.join(
            Hello(table: "t", tableType: "list", name: "Bob", signedToken: try signer.token(more: #","name":"Ann""#)))
          let viewer = try BlockingClient(server.address)
          let other = Hello(table: "t", name: "Bo", signedToken: try signer.token(subject: "bo", role: "viewer"))
          let seen = try viewer.join(other)
          #expect(joined.welcome.seat != .spectator && seen.welcome.seat == .spectator)
          let same = Hello(table: "t", sessionName: [1], signedToken: try signer.token(role: "viewer"))
          let second = try BlockingClient(server.address)
          #expect(try second.join(same).welcome.seat == .spectator)
          #expect(try player.goodbye()?.reason == .reseated, "what one of the person's devices may not, it may not")
          let again = try BlockingClient(server.address)
          let resumed = try again.join(other)
          #expect(resumed.welcome.seat == .spectator)
          #expect(resumed.welcome.session == seen.welcome.session)
        }
      }

      @Test func `a token gives no right to create`() async throws {
        try await withTokens({ $0.creation = .nobody }) { server in
          let hello = Hello(table: "t", tableType: "list", signedToken: try signer.token())
          #expect(try server.goodbye(to: hello)?.reason == .createNotAllowed)
        }
      }

      @Test func `a member's token expires, and the session goes on with another`() async throws {
        try await withTokens { server in
          let client = try BlockingClient(server.address)
          let joined = try client.join(Hello(table: "t", tableType: "list", signedToken: try signer.token(seconds: 2)))
          let goodbye = try client.goodbye()
          #expect(goodbye?.reason == .tokenExpired)
          #expect(goodbye?.isResumable == true)
          let again = try BlockingClient(server.address)
          let resumed = try again.join(Hello(table: "t", signedToken: try signer.token()))
          #expect(resumed.welcome.session == joined.welcome.session)
          #expect(resumed.welcome.seat == joined.welcome.seat)
        }
      }

      @Test func `keys are read again, and what is wrong with them changes nothing`() async throws {
        try await withTokens { server in
          let old = try signer.token()
          let client = try BlockingClient(server.address)
          try client.join(Hello(table: "t", tableType: "list", signedToken: old))
          try signer.writeSecret()
          #expect(try server.reloadSecrets() == ["other keys of tokens (1)"])
          #expect(try server.reloadSecrets() == [])
          #expect(try server.goodbye(to: Hello(table: "t", signedToken: old))?.reason == .tokenRefused)
          let other = try BlockingClient(server.address)
          try other.join(Hello(table: "t", signedToken: try signer.token(subject: "bea")))
          #expect(try client.ping(1) != nil, "who has been admitted stays")
          let good = try signer.token(subject: "cy")
          _ = chmod(signer.file, 0o644)
          #expect(throws: TokenKeyError.self) { try server.reloadSecrets() }
          let third = try BlockingClient(server.address)
          try third.join(Hello(table: "t", signedToken: good))
        }
      }

      @Test func `a daemon whose keys cannot be used does not start`() async throws {
        var configuration = ServerConfiguration()
        configuration.address = .loopback(port: 0)
        configuration.tokens = TokenConfiguration(keyFiles: [folder.path("none")], issuers: ["app"], audience: "tables")
        await #expect(throws: TokenKeyError.self) { try await Server.start(configuration) }
      }

      /// I13: the Swift client asks for a token for each connection, and loses nothing when one expires.
      @Test func `the Swift client asks for tokens`() async throws {
        try await withTokens { server in
          let asked = CallCounter()
          var configuration = ClientConfiguration(table: "t", tableType: "list?items=5")
          configuration.signedToken = { [signer] in
            let number = asked.next()
            switch number {
            // A back end that cannot be reached.
            case 1: throw CancellationError()
            case 2: return try signer.token(seconds: 0)
            case 3: return try signer.token(seconds: 2)
            case _: return try signer.token()
            }
          }
          let client = try await TableClient.join(
            .tcp(server.address), configuration, timeout: .seconds(HangGuard.seconds))
          let session = client.session
          var moves = 0
          while asked.count < 4 {
            #expect(try await client.move(fromOffsets: [0], toOffset: 5, in: "items").outcome.isAccepted)
            moves += 1
          }
          #expect(try await client.move(fromOffsets: [0], toOffset: 5, in: "items").outcome.isAccepted)
          #expect(client.session == session)
          #expect(client.revision.rawValue > UInt64(moves))
          await client.leave()
        }
      }

      /// The client presents the next token before the present one ends, and stays where it is.
      @Test func `a connection goes on with the next token`() async throws {
        try await withTokens { server in
          let asked = CallCounter()
          var configuration = ClientConfiguration(table: "t", tableType: "list?items=5")
          configuration.signedToken = { [signer] in
            let number = asked.next()
            return try signer.token(seconds: number < 4 ? 3 : 600)
          }
          let client = try await TableClient.join(
            .tcp(server.address), configuration, timeout: .seconds(HangGuard.seconds))
          while !server.metrics.contains("baize_signed_tokens_total{outcome=\"verified\"} 4\n") {
            #expect(try await client.move(fromOffsets: [0], toOffset: 5, in: "items").outcome.isAccepted)
          }
          #expect(server.resumed == 0)
          let count = asked.count
          #expect(count == 4)
          await client.leave()
        }
      }

      /// I13: what waits when a token runs out is answered.
      @Test func `a token runs out while operations wait`() async throws {
        try await withTokens { server in
          let asked = CallCounter()
          var configuration = ClientConfiguration(table: "t", tableType: "list?items=5")
          configuration.signedToken = { [signer] in
            let number = asked.next()
            // The back end cannot be reached when the next one is needed, nor at once when the connection has ended.
            guard number == 1 || number > 5 else { throw CancellationError() }
            return try signer.token(seconds: number == 1 ? 2 : 600)
          }
          let client = try await TableClient.join(
            .tcp(server.address), configuration, timeout: .seconds(HangGuard.seconds))
          let session = client.session
          while server.resumed == 0 {
            #expect(try await client.move(fromOffsets: [0], toOffset: 5, in: "items").outcome.isAccepted)
          }
          #expect(try await client.move(fromOffsets: [0], toOffset: 5, in: "items").outcome.isAccepted)
          #expect(client.session == session)
          await client.leave()
        }
      }

      /// I13: what the app's function answers after its connection has ended is not shown on the next one.
      @Test func `the next token comes while the daemon is restarted`() async throws {
        let tokens = signer.configuration()
        let first = try await startServer(in: folder, tokens: tokens)
        let asked = CallCounter()
        let (answers, answer) = AsyncStream<Void>.makeStream()
        var configuration = ClientConfiguration(table: "t", tableType: "list?items=5")
        configuration.signedToken = { [signer] in
          let number = asked.next()
          if number == 2 { for await _ in answers { break } }
          return try signer.token(seconds: number == 1 ? 3 : 600)
        }
        let client = try await TableClient.join(
          .tcp(first.address), configuration, timeout: .seconds(HangGuard.seconds))
        let session = client.session
        while asked.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
        await first.stop()
        answer.yield()
        let second = try await startServer(in: folder, at: first.address, tokens: tokens)
        #expect(try await client.move(fromOffsets: [0], toOffset: 5, in: "items").outcome.isAccepted)
        #expect(client.session == session)
        // A shard publishes its counters a little after it has answered.
        #expect(
          try await eventually {
            second.resumed == 1 && second.metrics.contains("baize_connections_accepted_total 1\n")
          })
        await client.leave()
        await second.stop()
      }

      // MARK: Bounds

      @Test func `an address that shows many bad tokens has no further ones verified`() async throws {
        try await withTokens { server in
          let good = Hello(table: "t", tableType: "list", signedToken: try signer.token())
          let client = try BlockingClient(server.address)
          try client.join(good)
          var answers: [GoodbyeReason?] = []
          for _ in 0..<ServerLimits.tokensRefusedPerAddressMax + 5 {
            answers.append(try server.goodbye(to: Hello(table: "t", signedToken: "a.b.c"))?.reason)
          }
          let refused = ServerLimits.tokensRefusedPerAddressMax
          #expect(answers.prefix(refused).allSatisfy { $0 == .tokenRefused })
          #expect(answers.dropFirst(refused).allSatisfy { $0 == .slow })
          // Those that are remembered are none to verify.
          let again = try BlockingClient(server.address)
          try again.join(good)
        }
      }

      @Test func `a person's tokens are remembered in few places of its own`() throws {
        var cache = TokenCache()
        func claims(_ subject: String, _ number: Int) -> TokenClaims {
          TokenClaims(
            rights: TokenRights(issuer: "app", subject: subject, tables: [], role: .player), expires: Int64(number))
        }
        cache.insert(claims("bea", 0), [0])
        for number in 1...100 { cache.insert(claims("ann", number), [UInt8(number)]) }
        #expect(cache.count == ServerLimits.tokensRememberedPerPersonMax + 1)
        #expect(cache[[0]] != nil && cache[[100]] != nil && cache[[92]] == nil)
        cache.remove([0])
        #expect(cache[[0]] == nil && cache.count == ServerLimits.tokensRememberedPerPersonMax)
      }

      @Test func `the Swift client ends when its token is refused`() async throws {
        try await withTokens { server in
          var configuration = ClientConfiguration(table: "t", tableType: "list")
          configuration.signedToken = { "none" }
          await #expect(throws: JoinError.self) {
            try await TableClient.join(.tcp(server.address), configuration, timeout: .seconds(HangGuard.seconds))
          }
        }
      }
    }
  }
#endif
