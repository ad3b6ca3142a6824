import BaizeLaboratory
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Foundation
import Testing

extension ServerTests {
  /// A client that violates the protocol gets a goodbye with the reason and is disconnected; others are not affected.
  @Suite struct Goodbyes {
    private static let list = Hello(table: "list", tableType: "list?items=3")

    /// Bytes that end their connection, each from a client that has sent nothing before. (`SessionTests` has a hello for
    /// every reason.)
    private static let firstWords: [(GoodbyeReason, [UInt8])] = [
      (.malformed, [2, 0xFF, 0xFF]),
      (.malformed, Array(repeating: 0xFF, count: 11)),
      (.frameTooLarge, [0x80, 0x80, 0x80, 0x08]),
      (.expectedHello, ClientMessage.ping(Ping(nonce: 1)).framed()),
      (.badTableID, ClientMessage.hello(Hello(table: String(repeating: "x", count: 65), tableType: "list")).framed()),
      (.badName, ClientMessage.hello(Hello(table: "list", name: String(repeating: "x", count: 65))).framed()),
      (.unknownTable, ClientMessage.hello(Hello(table: "nowhere")).framed()),
    ]

    @Test(arguments: SelectorKind.allCases)
    func `an invalid first message gets a goodbye with its reason and affects no other client`(
      _ kind: SelectorKind
    ) async throws {
      try await withServer({ $0.selector = kind }) { server in
        let other = try BlockingPlayer(server.address, table: "list", type: "list?items=3")
        for (reason, bytes) in Self.firstWords {
          let client = try BlockingClient(server.address)
          client.write(bytes)
          let goodbye = try client.goodbye()
          #expect(goodbye?.reason == reason, "\(bytes)")
          #expect(goodbye?.isResumable == reason.isResumable && goodbye?.detail.isEmpty == false)
          other.move(other.items[0])
        }
        let count = Self.firstWords.count
        #expect(try other.read(until: { player in player.answers.count == count }))
        #expect(try other.isLevel())
        #expect(try await eventually { server.statistics.connections == 1 })
      }
    }

    @Test func `a joined client that violates the protocol is disconnected with the reason`() async throws {
      try await withServer { server in
        let other = try BlockingPlayer(server.address, table: "list", type: "list?items=3")
        let wrongs: [(GoodbyeReason, (BlockingClient.Joined) -> [UInt8])] = [
          (.malformed, { _ in [2, 0xFF, 0xFF] }),
          (.malformed, { _ in ClientMessage.hello(Self.list).framed() }),
          (.frameTooLarge, { _ in [0x81, 0x80, 0x40] }),
          (.sequenceGap, { $0.move($0.items[0], number: 2).framed() }),
        ]
        for (reason, bytes) in wrongs {
          let client = try BlockingClient(server.address)
          client.write(bytes(try client.join(Self.list)))
          #expect(try client.goodbye()?.reason == reason)
        }
        #expect(try other.isLevel())
      }
    }

    @Test func `a frame of the maximum length is accepted, one byte more is not`() async throws {
      try await withServer({ $0.limits.connections.frameBytesMax = 20_000 }) { server in
        let (client, _) = try server.join("list")
        // An unknown field of 19,996 bytes behind a tag of one and a length of three.
        client.write([0xA0, 0x9C, 0x01, 0x7A, 0x9C, 0x9C, 0x01] + Array(repeating: 0, count: 19_996))
        #expect(try client.ping(1) != nil)
        client.write([0xA1, 0x9C, 0x01])
        #expect(try client.goodbye()?.reason == .frameTooLarge, "as soon as the length is known")
      }
    }

    @Test(arguments: SelectorKind.allCases)
    func `a connection without a hello times out`(_ kind: SelectorKind) async throws {
      try await withServer({
        $0.selector = kind
        $0.limits.connections.handshakeSeconds = 1
      }) { server in
        let silent = try BlockingClient(server.address)
        let slow = try BlockingClient(server.address)
        slow.write([40, 1, 2])
        for client in [silent, slow] {
          let goodbye = try client.goodbye()
          #expect(goodbye?.reason == .timeout && goodbye?.isResumable == true)
        }
      }
    }

    /// Two fall silent at one table while a third does not: each removal changes the members' indices.
    @Test func `silent participants are disconnected, active ones are not`() async throws {
      try await withShortLimit { seconds in
        var isInTime = false
        try await withServer({ $0.limits.connections.heartbeatSeconds = seconds }) { server in
          let silent = try (0..<2).map { _ in try BlockingClient(server.address) }
          for client in silent { _ = try client.join(Self.list) }
          let (lively, _) = try server.join("list")
          var (watch, nonce) = (SilenceWatch(), 1 as UInt64)
          var goodbyes: [GoodbyeReason] = []
          while goodbyes.count < 2, try lively.ping(nonce) != nil {
            nonce += 1
            watch.spoke()
            for case .goodbye(let goodbye) in try silent.flatMap({ try $0.available() }) {
              goodbyes.append(goodbye.reason)
            }
            usleep(20_000)
          }
          let isLively = try lively.ping(nonce) != nil
          isInTime = watch.isWithin(seconds: seconds)
          guard isInTime else { return }
          #expect(isLively && goodbyes == [.timeout, .timeout])
        }
        return isInTime
      }
    }

    @Test func `a connection over the limit is refused, and a closed one makes room`() async throws {
      try await withServer({ $0.connectionsMax = 3 }) { server in
        let clients = try (0..<3).map { _ in try BlockingClient(server.address) }
        for client in clients { _ = try client.join(Self.list) }
        let goodbye = try BlockingClient(server.address).goodbye()
        #expect(goodbye?.reason == .tooManyConnections && goodbye?.retryAfterMilliseconds ?? 0 > 0)
        clients[0].close()
        #expect(
          try await eventually {
            let client = try BlockingClient(server.address)
            client.send(.hello(Self.list))
            return try client.first { if case .welcome = $0 { true } else if case .goodbye = $0 { false } else { nil } }
              == true
          })
        #expect(try clients[1].ping(1) != nil)
        #expect(try await eventually { server.statistics.connectionsRejected >= 1 })
      }
    }

    @Test func `a connection over the limit per address is refused`() async throws {
      try await withServer({ $0.connectionsPerAddressMax = 2 }) { server in
        let clients = try (0..<2).map { _ in try BlockingClient(server.address) }
        for client in clients { _ = try client.join(Self.list) }
        #expect(try BlockingClient(server.address).goodbye()?.reason == .tooManyConnections)
      }
    }
  }
}
