import BaizeDriver
import BaizeHTTP
import BaizeJournal
import BaizeLaboratory
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Foundation
import Testing

@testable import BaizeServer

extension ServerTests {
  /// The operator's address (I8: it needs a token, and costs a table a bounded part of a turn).
  @Suite struct Admin {
    private static let token = "correct-horse-battery"

    private func withAdmin(
      _ change: (inout ServerConfiguration) -> Void = { _ in },
      _ body: (Server, SocketAddress) async throws -> Void
    ) async throws {
      try await withServer {
        $0.admin = AdminConfiguration(address: .loopback(port: 0), token: Self.token)
        change(&$0)
      } _: { server in
        try await body(server, try #require(server.adminAddress))
      }
    }

    private static func request(
      _ address: SocketAddress, _ path: String, method: String = "GET", token: String? = Self.token,
      host: String = "localhost"
    ) throws -> HTTPClient.Response {
      let client = try HTTPClient(address)
      guard let token else { return try client.get(path, method: method, host: host) }
      return try client.get(path, "Authorization: Bearer \(token)", method: method, host: host)
    }

    private static func json(_ response: HTTPClient.Response) throws -> [String: Any] {
      try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
    }

    private static let guarded = [
      ("/metrics", "GET"), ("/tables", "GET"), ("/journal", "GET"), ("/tables/t", "GET"), ("/tables/t/export", "GET"),
      ("/tables/t/kick?seat=1", "POST"), ("/tables/t/close", "POST"), ("/tables/t/delete", "POST"),
      ("/tables/t/ticket", "POST"), ("/drain", "POST"),
    ]

    @Test func `only health, readiness and the page need no token`() async throws {
      try await withAdmin { server, address in
        _ = try server.join("t")
        for path in ["/healthz", "/readyz", "/", "/admin.js", "/admin.css", "/icon.svg", "/baize.js"] {
          #expect(try Self.request(address, path, token: nil).status == 200, "\(path)")
        }
        for (path, method) in Self.guarded {
          let response = try Self.request(address, path, method: method, token: nil)
          #expect(response.status == 401 && response.fields["www-authenticate"] == "Bearer", "\(path)")
        }
        #expect(server.tableOperator.tables()?.count == 1, "nothing was done")
        // A token in the address, or in a cookie, is none.
        #expect(try Self.request(address, "/metrics?token=\(Self.token)", token: nil).status == 401)
        let cookie = try HTTPClient(address).get("/metrics", "Cookie: token=\(Self.token)")
        #expect(cookie.status == 401 && cookie.fields["set-cookie"] == nil)
      }
    }

    @Test func `rebound names, other sites and other methods are refused`() async throws {
      try await withAdmin { _, address in
        #expect(try Self.request(address, "/metrics", host: "example.org").status == 421)
        #expect(try Self.request(address, "/healthz", token: nil, host: "example.org").status == 421)
        let other = try HTTPClient(address).get(
          "/metrics", "Authorization: Bearer \(Self.token)", "Origin: http://example.org")
        #expect(other.status == 403 && other.fields["access-control-allow-origin"] == nil)
        #expect(try Self.request(address, "/drain").status == 405, "a link or an image does nothing")
        #expect(try Self.request(address, "/tables/t/delete").status == 405)
        #expect(try Self.request(address, "/nowhere").status == 404)
      }
    }

    @Test func `wrong tokens are limited for each address, and the right one is accepted`() async throws {
      try await withAdmin { _, address in
        let wrong = try (0..<1_000).map { _ in
          try Self.request(address, "/metrics", token: "wrong-horse-battery!!").status
        }
        #expect(wrong.prefix(10).allSatisfy { $0 == 401 } && wrong.dropFirst(10).allSatisfy { $0 == 429 })
        #expect(try Self.request(address, "/metrics").status == 200, "the operator is not locked out")
        #expect(try Self.request(address, "/metrics", token: nil).status == 401)
        #expect(try Self.request(address, "/healthz", token: nil).status == 200)
      }
      var access = AdminAccess(token: Self.token)
      let request = try Self.request("GET /", "Authorization: Bearer wrong")
      for number in 0..<5_000 as Range<UInt32> {
        // Many addresses are counted as one, and take no more memory.
        _ = access.refusal(of: request, from: .v4(number + 1), at: 0)
      }
      #expect(access.countedAddresses <= 1_025)
    }

    private static func request(_ line: String, _ field: String) throws -> HTTPRequest {
      var reader = HTTPRequestReader()
      let text = Array("\(line) HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n\r\n".utf8)
      return try #require(try text.withUnsafeBytes { try reader.next(in: $0) }?.0)
    }

    @Test func `tables are listed, searched and described`() async throws {
      try await withAdmin { server, address in
        let clients = try ["evening", "morning", "noon"].map {
          try BlockingClient.joining(server.address, Hello(table: $0, tableType: "list?items=3", name: "</script>")).0
        }
        let all = try Self.json(Self.request(address, "/tables?limit=2&offset=1&sort=name"))
        #expect(all["total"] as? Int == 3)
        #expect((all["tables"] as? [[String: Any]])?.map { $0["name"] as? String } == ["morning", "noon"])
        let found = try Self.json(Self.request(address, "/tables?search=eve"))
        #expect((found["tables"] as? [[String: Any]])?.first?["members"] as? Int == 1)
        for query in ["limit=-1", "limit=99999999999999999999", "offset=99", "search=%FF", "sort=x&&=&a", "search=%zz"]
        {
          #expect(try Self.request(address, "/tables?\(query)").status == 200, "\(query)")
        }
        let one = try Self.request(address, "/tables/ev%65ning")
        #expect((try Self.json(one)["seats"] as? [[String: Any]])?.first?["name"] as? String == "</script>")
        #expect(!String(decoding: one.body, as: UTF8.self).contains("<"))
        #expect(try Self.request(address, "/tables/nowhere").status == 404)
        withExtendedLifetime(clients) {}
      }
    }

    @Test func `kicking, exporting, closing and deleting`() async throws {
      try await withAdmin { server, address in
        let (one, _) = try server.join("t")
        let (two, _) = try BlockingClient.joining(server.address, Hello(table: "t"))
        #expect(try Self.json(Self.request(address, "/tables/t/export"))["revision"] != nil)
        #expect(try Self.request(address, "/tables/t/kick", method: "POST").status == 400)
        #expect(try Self.request(address, "/tables/t/kick?seat=9", method: "POST").status == 404)
        #expect(try Self.request(address, "/tables/t/kick?seat=1", method: "POST").status == 204)
        #expect(try one.goodbye()?.reason == .kicked)
        #expect(try Self.request(address, "/tables/t/close", method: "POST").status == 204)
        #expect(try two.goodbye()?.reason == .kicked)
        #expect(try Self.request(address, "/tables/t/delete", method: "POST").status == 204)
        #expect(try Self.request(address, "/tables/t").status == 404)
      }
    }

    /// I7: a table that is only in the journal is deleted, too; a name that is nowhere is not found.
    @Test func `deleting is answered by what there is, in memory or in the journal`() async throws {
      let folder = try TemporaryFolder()
      try await withAdmin({ $0.journal = .file(folder.path("journal")) }) { server, address in
        for table in ["stored", "kept"] {
          _ = try server.join(table)
        }
      }
      try await withAdmin({ $0.journal = .file(folder.path("journal")) }) { _, address in
        let answers = try ["nowhere", "stored", "stored"].map {
          try Self.request(address, "/tables/\($0)/delete", method: "POST").status
        }
        #expect(answers == [404, 204, 404])
      }
      let kept = try JournalReader(path: folder.path("journal")).names()
      #expect(kept == ["kept"])
      try await withAdmin { _, address in
        let withoutJournal = try Self.request(address, "/tables/nowhere/delete", method: "POST").status
        #expect(withoutJournal == 404)
      }
    }

    /// Each request about a table that is nowhere, or not in memory, is answered for good: the operator is not told to try again.
    @Test func `requests about tables that are not there`() async throws {
      let folder = try TemporaryFolder()
      let requests = [
        ("", "GET"), ("/export", "GET"), ("/kick?seat=1", "POST"), ("/close", "POST"), ("/ticket", "POST"),
        ("/delete", "POST"), ("/migrate", "POST"), ("/migrate?sessions=end", "POST"),
      ]
      let long = String(repeating: "x", count: 100)
      for hasJournal in [false, true] {
        try await withAdmin({ if hasJournal { $0.journal = .file(folder.path("journal")) } }) { server, address in
          for table in ["nowhere", "not%20a%20name", long] {
            for (action, method) in requests {
              for _ in 1...3 {
                let answer = try Self.request(address, "/tables/\(table)\(action)", method: method)
                #expect(answer.status == 404, "\(table)\(action)")
                #expect(String(decoding: answer.body, as: UTF8.self).hasPrefix("there is no such table"), "\(action)")
              }
            }
          }
          _ = try server.join("stored")
        }
      }
      // A table that is only in the journal is moved, and what concerns its members says that it is not in memory.
      try await withAdmin({ $0.journal = .file(folder.path("journal")) }) { _, address in
        for (action, method) in requests.prefix(5) {
          let answer = try Self.request(address, "/tables/stored\(action)", method: method)
          #expect(answer.status == 404, "\(action)")
          let body = String(decoding: answer.body, as: UTF8.self)
          #expect(body.hasPrefix("there is no such table in memory"), "\(action)")
        }
        let isMoved = try await eventually {
          let answer = try Self.request(address, "/tables/stored/migrate", method: "POST")
          #expect([200, 503].contains(answer.status))
          return answer.status == 200
        }
        #expect(isMoved)
      }
    }

    /// An operator sees who takes what; metrics, which more people see, name no address.
    @Test func `under pressure the operator learns who takes what`() async throws {
      let folder = try TemporaryFolder()
      let lines = LogLines()
      try await withAdmin({
        $0.journal = .file(folder.path("journal"))
        $0.shardCount = 1
        $0.connectionsPerAddressMax = 5
        $0.limits.tables.tablesPerAddressMax = 2
        $0.log = Log(.warning) { lines.append($0) }
      }) { server, address in
        var clients: [BlockingClient] = []
        for number in 0..<2 {
          clients.append(try BlockingClient(server.address, from: 7))
          try clients[number].join(Hello(table: "t\(number)", tableType: "list?items=500"))
        }
        clients.append(try BlockingClient(server.address, from: 8))
        try clients[2].join(Hello(table: "other", tableType: "list?items=3"))
        let third = try BlockingClient(server.address, from: 7)
        third.send(.hello(Hello(table: "t2", tableType: "list")))
        #expect(try third.goodbye()?.reason == .tooManyTables)
        let many = try (0..<6).map { _ in try BlockingClient(server.address, from: 9) }
        #expect(try many[5].goodbye()?.reason == .tooManyConnections)
        func accounts() throws -> [[String: Any]] {
          try #require(try Self.json(Self.request(address, "/healthz"))["accounts"] as? [[String: Any]])
        }
        let isCounted = try await eventually {
          let first = try #require(try accounts().first)
          return first["address"] as? String == "127.0.0.7" && first["tables"] as? Int == 2
            && first["bytes"] as? Int ?? 0 > 100_000 && first["connections"] as? Int == 2
            && first["writtenBytes"] as? Int ?? 0 > 0
        }
        let present = try accounts()
        #expect(isCounted, "\(present)")
        let health = try Self.json(Self.request(address, "/healthz"))
        let memory = try #require(health["memory"] as? [String: Any])
        #expect(health["healthy"] as? Bool == true && memory["mark"] as? String == "normal")
        #expect(((memory["holders"] as? [String: Any])?["tables"] as? Int ?? 0) > 0)
        let unknown = try Self.request(address, "/healthz", token: nil)
        #expect(String(decoding: unknown.body, as: UTF8.self) == "ok\n", "strangers learn nothing of it")
        let hasMetrics = try await eventually {
          let text = String(decoding: try Self.request(address, "/metrics").body, as: UTF8.self)
          #expect(!text.contains("127.0.0."))
          return ["of=\"connections\"} 5\n", "of=\"tables\"} 2\n", "baize_memory_mark{mark=\"refusing\"} 0\n"]
            .allSatisfy(
              text.contains)
        }
        #expect(hasMetrics)
        let isLogged = try await eventually {
          let text = lines.all.joined(separator: "\n")
          return text.contains("127.0.0.7 has as many tables in memory as one address may have")
            && text.contains("127.0.0.9 has as many connections as one address may have")
        }
        #expect(isLogged, "\(lines.all)")
        withExtendedLifetime((clients, many)) {}
      }
    }

    /// I8: what operators do not read is bounded.
    @Test func `an export waits while others are not read`() async throws {
      try await withAdmin { server, address in
        let (client, _) = try server.join("t")
        var routes = AdminRoutes(
          HTTPAccess(listening: nil), token: Self.token,
          AdminRoutes.AdminDaemon(
            tables: server.tableOperator, journal: nil, isStored: { _ in false }, metrics: { "" }, isHealthy: { true },
            pressure: {
              PressureReport(memory: MemoryUse(), bytesMax: 1, mark: .normal, connections: 0, byAddress: [])
            },
            accounts: { [] }, isReady: { true }, drain: {}, tokens: nil))
        func status(_ path: String, queuedBytes: Int) throws -> HTTPStatus? {
          let request = try Self.request("GET \(path)", "Authorization: Bearer \(Self.token)")
          guard case .response(let response, _) = routes.answer(request, from: address, queuedBytes: queuedBytes) else {
            return nil
          }
          return response.status
        }
        let tooMany = ServerLimits.adminQueuedBytesMax + 1
        #expect(try status("/tables/t/export", queuedBytes: 0) == .ok)
        #expect(try status("/tables/t/export", queuedBytes: tooMany) == .serviceUnavailable)
        #expect(try status("/metrics", queuedBytes: tooMany) == .ok, "an operator still sees what is wrong")
        withExtendedLifetime(client) {}
      }
    }

    /// On a daemon that requires invites, an operator watches with a ticket that is good once.
    @Test func `a ticket opens one WebSocket, for a spectator`() async throws {
      try await withAdmin({ $0.isOpen = false }) { server, address in
        let (player, _) = try server.join("t")
        let answer = try Self.json(Self.request(address, "/tables/t/ticket", method: "POST"))
        let (ticket, invite) = (answer["ticket"] as? String ?? "", answer["invite"] as? String ?? "")
        func open(_ ticket: String) throws -> HTTPClient {
          let client = try HTTPClient(address)
          client.send(HTTPClient.webSocketRequest("/ws?ticket=\(ticket)"))
          return client
        }
        #expect(try open("guess").response()?.status == 401)
        let watcher = try open(ticket)
        #expect(try watcher.response()?.status == 101)
        #expect(try open(ticket).response()?.status == 401)
        let joined = try watcher.join(Hello(table: "t", name: "operator", role: .spectator, invite: invite))
        #expect(joined.welcome.seat == .spectator && joined.items.count == 3)
        withExtendedLifetime(player) {}
      }
    }

    /// Each command is answered or its connection ends, whatever the daemon does meanwhile.
    @Test func `commands while the daemon stops end soon`() async throws {
      for round in 0..<4 {
        try await withAdmin({
          $0.operatorNanoseconds = 4 * HangGuard.nanoseconds
          // The client stays, and a stop waits for it.
          $0.stopNanoseconds = 200_000_000
        }) { server, address in
          let (client, _) = try server.join("t")
          let commands = [
            ("/tables", "GET"), ("/tables/t/close", "POST"), ("/tables/t/delete", "POST"), ("/tables/t/export", "GET"),
          ]
          async let stopped: Void = server.stop()
          for (path, method) in commands[round...] + commands[..<round] {
            // Once the daemon no longer listens, there is nobody to ask.
            guard let client = try? HTTPClient(address) else { break }
            client.send(
              [
                "\(method) \(path) HTTP/1.1", "Host: localhost", "Authorization: Bearer \(Self.token)", "", "",
              ].joined(separator: "\r\n"))
            guard let answer = try client.response(to: method) else { continue }
            #expect([200, 204, 404, 503].contains(answer.status), "\(path): \(answer.status)")
          }
          // A command that waits for a shard that has ended would take longer than the test may.
          await stopped
          withExtendedLifetime(client) {}
        }
      }
    }

    @Test func `draining stops the daemon, and nothing hangs`() async throws {
      try await withAdmin { server, address in
        let (client, _) = try server.join("t")
        #expect(try Self.request(address, "/drain", method: "POST").status == 204)
        #expect(try client.goodbye()?.reason == .shutdown)
        await server.ended()
        await server.stop()
      }
    }
  }
}
