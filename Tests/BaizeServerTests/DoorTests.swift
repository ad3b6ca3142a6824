import BaizeDriver
import BaizeLaboratory
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Foundation
import Testing

@testable import BaizeServer

extension ServerTests {
  /// The connections of HTTP, of the operator and of tables, which do not take each other's places (I8).
  @Suite struct Doors {
    private static let token = "correct-horse-battery"

    private func withDoors(
      _ change: (inout ServerConfiguration) -> Void = { _ in },
      _ body: (Server, _ http: SocketAddress, _ admin: SocketAddress) async throws -> Void
    ) async throws {
      try await withHTTPServer({
        $0.admin = AdminConfiguration(address: .loopback(port: 0), token: Self.token)
        change(&$0)
      }) { server, http in
        try await body(server, http, try #require(server.adminAddress))
      }
    }

    /// What a stranger does with a connection to the operator's address.
    enum Stranger: String, CaseIterable {
      case silent, slowHead, idle, pipelining, unread, halfOpen, wrongToken

      func begin(_ client: HTTPClient) throws {
        let health = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        switch self {
        case .silent: break
        case .slowHead: client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: ")
        case .idle: #expect(try client.get("/healthz").status == 200)
        case .pipelining: client.send(String(repeating: health, count: 200))
        case .unread: client.send(String(repeating: "GET /baize.js HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 200))
        case .halfOpen: client.endSending()
        case .wrongToken: client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n\r\n")
        }
      }
    }

    /// Who has the wrong port is told so in the protocol that it speaks, and the operator reads of it once a minute.
    @Test func `clients of other protocols are told that they have the wrong port`() async throws {
      let lines = LogLines()
      try await withDoors({ $0.log = Log(.warning) { lines.append($0) } }) { server, http, _ in
        let handshake: [UInt8] = [0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3]
        for _ in 0..<2 {
          let browser = try BlockingClient(server.address)
          browser.write(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
          let text = String(decoding: try #require(browser.readBytes()), as: UTF8.self)
          #expect(text.hasPrefix("HTTP/1.1 400 ") && text.contains("clients over TCP"))
          let secure = try BlockingClient(server.address)
          secure.write(handshake)
          #expect(secure.readBytes()?.prefix(2) == [0x15, 3])
        }
        for (from, field, status) in [(2, "Origin: https://other.example", 403), (3, "Origin: null", 403)]
          as [(UInt8, String, Int)]
        {
          let page = try HTTPClient(http, from: from)
          page.send("GET /ws HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n\r\n")
          #expect(try page.response()?.status == status)
        }
        let stranger = try HTTPClient(http, from: 4)
        stranger.send("GET / HTTP/1.1\r\nHost: other.example\r\n\r\n")
        #expect(try stranger.response()?.status == 421)
        // One line for each address.
        #expect(lines.all.count { $0.contains("is not served: it speaks HTTP") } == 1, "\(lines.all)")
        #expect(
          lines.all.count { $0.contains("pages of \"https://other.example\" are not accepted (see --allow-origin)") }
            == 1
        )
        #expect(lines.all.count { $0.contains("pages of \"null\" are not accepted") } == 1)
        #expect(lines.all.count { $0.contains("\"other.example\" is no name of this server (see --allow-host)") } == 1)
        #expect(lines.all.count == 4)
      }
    }

    @Test(arguments: Stranger.allCases)
    func `strangers at the operator's address take no place of the operator`(stranger: Stranger) async throws {
      try await withDoors { _, _, admin in
        // What the operator already has stays, whoever comes later.
        let kept = try HTTPClient(admin)
        #expect(try kept.get("/metrics", "Authorization: Bearer \(Self.token)").status == 200)
        var strangers: [HTTPClient] = []
        for number in 0..<200 {
          strangers.append(try HTTPClient(admin))
          try stranger.begin(strangers[number])
          guard number % 20 == 19 else { continue }
          #expect(try HTTPClient(admin).get("/healthz").status == 200, "\(number)")
          #expect(try HTTPClient(admin).get("/readyz").status == 200, "\(number)")
          let metrics = try HTTPClient(admin).get("/metrics", "Authorization: Bearer \(Self.token)")
          #expect(metrics.status == 200, "\(number)")
          #expect(try kept.get("/healthz").status == 200, "\(number)")
        }
        withExtendedLifetime(strangers) {}
      }
    }

    /// Places go to newcomers by what their addresses have and what is free; who gives way is who rests longest.
    @Test func `places are shared between addresses`() {
      var places = HTTPPlaces(8)
      func come(_ slot: Int, _ host: SocketAddress.Host) -> Int? {
        let other = places.successorOf(newcomer: host)
        if let other { places.leave(other) }
        places.take(slot, host)
        return other
      }
      let (one, two) = (SocketAddress.Host.v4(1), SocketAddress.Host.v4(2))
      #expect((0..<4).allSatisfy { come($0, one) == nil })
      places.touch(0)
      #expect(come(4, one) == 1, "as many as are free, and the first has just sent a request")
      #expect((5..<7).allSatisfy { come($0, two) == nil } && come(7, two) == 5)
      #expect(places.taken == 6)
      // Two customers' networks; the second half of an IPv6 address makes no other.
      let (net, other) = (
        SocketAddress.Host.v6(high: 1, low: 1, scope: 0), SocketAddress.Host.v6(high: 1, low: 2, scope: 0)
      )
      #expect(come(8, net) == nil && come(9, other) == 8)
      #expect(come(10, .v4(3)) == nil && places.taken == 8)
      #expect(come(11, .v4(4)) == 2, "none is free: the longest resting one of all")
      for slot in 0..<12 { places.leave(slot) }
      places.leave(3)
      #expect(places.taken == 0 && places.successorOf(newcomer: one) == nil)
    }

    @Test func `the operator's own connections are as many as they may be, and the one that rests longest gives way`()
      async throws
    {
      try await withDoors { _, _, admin in
        var own: [HTTPClient] = []
        for _ in 0..<(ServerLimits.adminConnectionsMax + 10) {
          own.append(try HTTPClient(admin))
          #expect(try own[own.count - 1].get("/metrics", "Authorization: Bearer \(Self.token)").status == 200)
        }
        #expect(try own[0].ends() && own[9].ends())
        #expect(try own[10].get("/healthz").status == 200)
      }
    }

    /// A browser that holds its connections, or one that floods the address of HTTP, keeps nobody from a table.
    @Test func `connections of HTTP take no place of those at tables`() async throws {
      try await withDoors({ $0.connectionsMax = 2 }) { server, http, _ in
        let resting = try (0..<20).map { _ in
          let client = try HTTPClient(http)
          #expect(try client.get("/").status == 200)
          return client
        }
        let (member, _) = try server.join("list")
        let browser = try HTTPClient.webSocket(http)
        _ = try browser.join(Hello(table: "list"))
        // Tables have their two connections now; HTTP goes on.
        let third = try HTTPClient(http)
        third.requestWebSocket()
        let refused = try third.response()
        #expect(refused?.status == 503 && refused?.fields["retry-after"] == "1")
        #expect(try third.get("/").status == 200, "the connection stays one of HTTP")
        #expect(try member.ping(1) != nil)
        browser.close()
        #expect(
          try await eventually {
            third.requestWebSocket()
            return try third.response()?.status == 101
          })
        withExtendedLifetime(resting) {}
      }
    }

    @Test func `an address with many connections of HTTP gives up its own oldest one for a new one`() async throws {
      try await withDoors({ $0.connectionsPerAddressMax = 3 }) { _, http, _ in
        let other = try HTTPClient(http, from: 2)
        #expect(try other.get("/").status == 200)
        let own = try (0..<5).map { _ in
          let client = try HTTPClient(http)
          #expect(try client.get("/").status == 200)
          return client
        }
        #expect(try own[0].ends() && own[1].ends())
        for client in own[2...] + [other] { #expect(try client.get("/").status == 200) }
      }
    }

    @Test func `an operator watches a table while clients have all connections`() async throws {
      try await withDoors({ $0.connectionsMax = 1 }) { server, _, admin in
        let (player, _) = try server.join("t")
        let answer = try HTTPClient(admin).get(
          "/tables/t/ticket", "Authorization: Bearer \(Self.token)", method: "POST")
        let json = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        let watcher = try HTTPClient(admin)
        watcher.send(HTTPClient.webSocketRequest("/ws?ticket=\(json?["ticket"] as? String ?? "")"))
        #expect(try watcher.response()?.status == 101)
        let hello = Hello(table: "t", role: .spectator, invite: json?["invite"] as? String ?? "")
        #expect(try watcher.join(hello).welcome.seat == .spectator)
        watcher.close()
        // It took no connection of clients, and gives none back.
        #expect(try await eventually { try server.summary(of: "t").members == 1 })
        #expect(try BlockingClient(server.address).goodbye()?.reason == .tooManyConnections)
        #expect(try player.ping(1) != nil)
      }
    }
  }
}
