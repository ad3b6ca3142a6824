#if OpenSSL
  import BaizeDriver
  import BaizeJournal
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

  extension ServerTests {
    /// J23: what an operator revokes of signed tokens, and where it is kept.
    @Suite struct Revocations {
      private let folder: TemporaryFolder
      private let signer: TokenSigner

      init() throws {
        folder = try TemporaryFolder()
        signer = try TokenSigner(file: folder.path("secret.json"))
      }

      enum Place: String, CaseIterable { case file, journal }

      private static let adminToken = "correct-horse-battery"
      private static let ann = Revocation.subject(issuer: "app", subject: "ann")

      private static func ask(_ server: Server, _ path: String, method: String = "POST") throws -> HTTPClient.Response {
        try HTTPClient(try #require(server.adminAddress)).get(
          path, "Authorization: Bearer \(adminToken)", method: method, host: "localhost")
      }

      private func withRevocations(
        in place: Place, _ change: (inout ServerConfiguration) -> Void = { _ in }, _ body: (Server) async throws -> Void
      ) async throws {
        try await withServer(
          {
            $0.tokens = signer.configuration(revocations: place == .file ? folder.path("revoked.json") : nil)
            if place == .journal { $0.journal = .file(folder.path("journal")) }
            $0.admin = AdminConfiguration(address: .loopback(port: 0), token: Self.adminToken)
            $0.shardCount = 3
            change(&$0)
          }, body)
      }

      @Test(arguments: Place.allCases)
      func `a revoked person's connections end at all tables, and it cannot come back`(place: Place) async throws {
        try await withRevocations(in: place) { server in
          let names = ["a", "b", "c", "d", "e"]
          let clients = try names.map { name in
            let client = try BlockingClient(server.address)
            try client.join(Hello(table: name, tableType: "list", signedToken: try signer.token()))
            return client
          }
          let other = try BlockingClient(server.address)
          try other.join(Hello(table: "a", signedToken: try signer.token(subject: "bea")))
          #expect(try Self.ask(server, "/revoke?subject=ann").status == 204)
          for client in clients {
            let goodbye = try client.goodbye()
            #expect(goodbye?.reason == .tokenRefused && goodbye?.isResumable == false)
          }
          let hello = Hello(table: "a", signedToken: try signer.token())
          #expect(try server.goodbye(to: hello)?.reason == .tokenRefused)
          #expect(try other.ping(1) != nil)
          #expect(server.metrics.contains("baize_revocations 1\n"))
          let list = String(decoding: try Self.ask(server, "/revocations", method: "GET").body, as: UTF8.self)
          #expect(list.hasPrefix(#"{"revocations":[{"issuer":"app","subject":"ann","until":"#), "\(list)")
        }
        // It holds after a restart, and until it is taken back.
        try await withRevocations(in: place) { server in
          let hello = Hello(table: "a", tableType: "list", signedToken: try signer.token())
          #expect(try server.goodbye(to: hello)?.reason == .tokenRefused)
          #expect(try Self.ask(server, "/restore?subject=ann").status == 204)
          #expect(try Self.ask(server, "/restore?subject=ann").status == 404)
          let client = try BlockingClient(server.address)
          try client.join(hello)
        }
      }

      @Test(arguments: Place.allCases)
      func `a single token is revoked, and others of its person are not`(place: Place) async throws {
        try await withRevocations(in: place) { server in
          let one = Hello(table: "t", tableType: "list", signedToken: try signer.token(claims: #","jti":"7""#))
          let client = try BlockingClient(server.address)
          try client.join(one)
          try await server.revoke(.token(issuer: "app", id: "7"))
          #expect(try client.goodbye()?.reason == .tokenRefused)
          #expect(try server.goodbye(to: one)?.reason == .tokenRefused)
          let again = try BlockingClient(server.address)
          try again.join(Hello(table: "t", signedToken: try signer.token(claims: #","jti":"8""#)))
        }
      }

      @Test func `revocations that cannot be kept are refused in words`() async throws {
        try await withServer({
          $0.tokens = signer.configuration()
          $0.admin = AdminConfiguration(address: .loopback(port: 0), token: Self.adminToken)
        }) { server in
          let refused = try Self.ask(server, "/revoke?subject=ann")
          #expect(refused.status == 409)
          #expect(String(decoding: refused.body, as: UTF8.self).contains("--token-revocations"))
        }
        try await withRevocations(in: .file) { server in
          for query in ["", "?subject=ann&token=7", "?subject=ann&issuer=other"] {
            let status = try Self.ask(server, "/revoke\(query)").status
            #expect(status == 400, "\(query)")
          }
          let status = try Self.ask(server, "/revoke?subject=ann", method: "GET").status
          #expect(status == 405)
        }
        let kept = folder.path("revoked.json")
        let stream = try #require(fopen(kept, "w"))
        fputs(#"{"revocations":[{"issuer":"app","subject":"ann"}]}"#, stream)
        fclose(stream)
        var configuration = ServerConfiguration()
        configuration.address = .loopback(port: 0)
        configuration.tokens = signer.configuration(revocations: kept)
        await #expect(throws: RevocationError.self) { try await Server.start(configuration) }
      }

      @Test func `a list that is full can be written and read again`() throws {
        let file = RevocationFile(path: folder.path("full.json"))
        var list = RevocationList()
        let padding = String(repeating: "x", count: 200)
        for number in 0..<ServerLimits.revocationsMax {
          try list.insert(.subject(issuer: "app", subject: "\(padding)\(number)"), until: 9)
        }
        try file.write(list)
        #expect(try file.read(at: 8) == list)
        #expect(throws: RevocationError.self) { try list.insert(.token(issuer: "app", id: "one more"), until: 9) }
        #expect(try file.read(at: 9) == RevocationList(), "what has ended takes no place")
      }

      @Test(arguments: Place.allCases)
      func `a revocation ends by itself`(place: Place) async throws {
        try await withRevocations(in: place) { server in
          try await server.revoke(.subject(issuer: "app", subject: "ann"), seconds: 2)
          let hello = Hello(table: "t", tableType: "list", signedToken: try signer.token())
          #expect(try server.goodbye(to: hello)?.reason == .tokenRefused)
          while server.metrics.contains("baize_revocations 1\n") { try await Task.sleep(for: .milliseconds(20)) }
          try BlockingClient(server.address).join(hello)
        }
      }

      @Test func `a list of revocations is what its document says`() throws {
        var list = RevocationList()
        try list.insert(.subject(issuer: "a\"b", subject: "ä\n"), until: 5)
        try list.insert(.token(issuer: "app", id: "x"), until: 7)
        #expect(try RevocationList(parsing: list.json, at: 0) == list)
        list.removeEnded(at: 5)
        #expect(list.all == [.token(issuer: "app", id: "x")])
        for text in [
          "", "[]", "{}", #"{"revocations":{}}"#, #"{"revocations":[1]}"#, #"{"revocations":[{}]}"#,
          #"{"revocations":[],"x":1}"#, #"{"revocations":[{"issuer":"a","subject":"b","until":"1"}]}"#,
          #"{"revocations":[{"issuer":"a","other":"b","until":1}]}"#,
        ] {
          #expect(throws: RevocationError.self, "\(text)") { try RevocationList(parsing: Array(text.utf8), at: 0) }
        }
      }

      // MARK: In the journal

      /// The revocations that a journal has.
      private func stored(_ name: String = "journal") throws -> Set<Revocation> {
        guard let document = try JournalReader(path: folder.path(name)).revocations() else { return [] }
        return try RevocationList(parsing: document, at: 0).all
      }

      @Test func `what is revoked is in the journal before the operator is answered, and in its copies`() async throws {
        try await withRevocations(in: .journal) { server in
          #expect(try stored() == [])
          #expect(try Self.ask(server, "/revoke?subject=ann").status == 204)
          #expect(try stored() == [Self.ann])
          _ = try JournalBackup.copy(folder.path("journal"), to: folder.path("copy"))
          #expect(try await server.restore(Self.ann))
          #expect(try await !server.restore(Self.ann))
          #expect(try stored() == [] && stored("copy") == [Self.ann])
        }
        // What was revoked when the copy was made is revoked again with it.
        try await withRevocations(in: .journal, { $0.journal = .file(folder.path("copy")) }) { server in
          let hello = Hello(table: "t", tableType: "list", signedToken: try signer.token())
          #expect(try server.goodbye(to: hello)?.reason == .tokenRefused)
        }
      }

      @Test func `of changes at the same time none is lost`() async throws {
        try await withRevocations(in: .journal) { server in
          let all = (0..<16).map { Revocation.subject(issuer: "app", subject: "p\($0)") }
          try await withThrowingTaskGroup { group in
            for one in all { group.addTask { try await server.revoke(one) } }
            try await group.waitForAll()
          }
          #expect(try stored() == Set(all))
          #expect(server.metrics.contains("baize_revocations 16\n"))
        }
      }

      @Test func `with a file, the journal's revocations do not hold, and the log says so`() async throws {
        try await withRevocations(in: .journal) { try await $0.revoke(Self.ann) }
        let lines = Mutex<[String]>([])
        try await withRevocations(in: .file) {
          $0.journal = .file(folder.path("journal"))
          $0.log = Log(.warning, to: { line in lines.withLock { $0.append(line) } })
        } _: { server in
          let client = try BlockingClient(server.address)
          try client.join(Hello(table: "t", tableType: "list", signedToken: try signer.token()))
          try await server.revoke(.subject(issuer: "app", subject: "bea"))
        }
        #expect(try stored() == [Self.ann], "the journal's stay")
        Log.flush()
        #expect(lines.withLock { $0 }.contains { $0.contains("the journal has 1 revocations of tokens") })
      }

      private func withJournal(
        _ script: JournalScript, _ change: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (Server) async throws -> Void
      ) async throws {
        try await withRevocations(in: .journal) {
          $0.openStore = { script.open() }
          $0.journalRetryNanoseconds = 20_000_000
          $0.log = Log(.error, to: { _ in })
          change(&$0)
        } _: { server in
          defer { script.release() }
          try await body(server)
        }
      }

      @Test func `a journal that cannot be written is an error at once, and nothing is revoked`() async throws {
        let script = JournalScript()
        try await withJournal(script) { server in
          script.fail(JournalError(.storage, "there is no room on the disk"))
          for _ in 0..<2 {
            let refused = try Self.ask(server, "/revoke?subject=ann")
            #expect(refused.status == 503)
            #expect(String(decoding: refused.body, as: UTF8.self).contains("cannot be written"))
          }
          #expect(server.metrics.contains("baize_revocations 0\n"))
          script.fail(nil)
          #expect(try await eventually { try Self.ask(server, "/revoke?subject=ann").status == 204 })
          #expect(server.metrics.contains("baize_revocations 1\n"))
        }
        #expect(script.open().isRevoked(Self.ann))
      }

      /// Under `relaxed`, the journal keeps what it could not write, and so does the daemon.
      @Test func `under relaxed a revocation holds once the disk has room again`() async throws {
        let script = JournalScript()
        try await withJournal(script) {
          $0.durability = .relaxed
          $0.operatorNanoseconds = 300_000_000
        } _: { server in
          script.fail(JournalError(.storage, "there is no room on the disk"))
          let refused = try Self.ask(server, "/revoke?subject=ann")
          #expect(refused.status == 503)
          #expect(server.metrics.contains("baize_revocations 0\n"))
          script.fail(nil)
          #expect(try await eventually { server.metrics.contains("baize_revocations 1\n") })
        }
        #expect(script.open().isRevoked(Self.ann))
      }

      @Test func `a journal that does not answer is an error in time, and what it keeps later holds`() async throws {
        let script = JournalScript()
        try await withJournal(script) {
          $0.operatorNanoseconds = 300_000_000
        } _: { server in
          script.shut()
          let begun = ContinuousClock.now
          let refused = try Self.ask(server, "/revoke?subject=ann")
          #expect(refused.status == 503)
          await #expect(throws: RevocationError.self) {
            try await server.revoke(.subject(issuer: "app", subject: "bea"))
          }
          #expect(ContinuousClock.now - begun < .seconds(HangGuard.seconds))
          // One is with the journal, and one waits; there is room for fifteen.
          let results = await withTaskGroup { group in
            for number in 0..<ServerLimits.revocationChangesWaitingMax + 4 {
              group.addTask {
                do throws(RevocationError) {
                  try await server.revoke(.subject(issuer: "app", subject: "p\(number)"))
                  return "kept"
                } catch {
                  return error.description
                }
              }
            }
            return await group.reduce(into: []) { $0.append($1) }
          }
          #expect(results.count { $0.hasPrefix("too many changes wait") } == 5, "\(results)")
          #expect(results.allSatisfy { $0 != "kept" })
          #expect(server.metrics.contains("baize_revocations 0\n"))
          script.release()
          let count = ServerLimits.revocationChangesWaitingMax + 1
          #expect(try await eventually { server.metrics.contains("baize_revocations \(count)\n") })
        }
        #expect(script.open().isRevoked(Self.ann))
      }

      @Test(arguments: ["{}", "", #"{"revocations":[{"issuer":"app","subject":"ann"}]}"#])
      func `a daemon does not start with revocations that it cannot read`(document: String) async throws {
        do { try SQLiteJournal(path: folder.path("journal")).commit([.revocations(Array(document.utf8)[...])]) }
        let error = await #expect(throws: RevocationError.self) { try await withRevocations(in: .journal) { _ in } }
        #expect(error?.description.hasPrefix("the revocations in the journal cannot be used") == true)
      }
    }
  }

  extension JournalStore {
    fileprivate func isRevoked(_ revocation: Revocation) -> Bool {
      guard let document = try? revocations() else { return false }
      return (try? RevocationList(parsing: document, at: 0))?.all.contains(revocation) == true
    }
  }
#endif
