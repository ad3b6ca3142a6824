import BaizeLaboratory
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Testing

extension ServerTests {
  /// Several clients at one table.
  @Suite struct Sharing {
    @Test(arguments: SelectorKind.allCases)
    func `two players see each other's moves and end in the same state`(_ kind: SelectorKind) async throws {
      try await withServer({ $0.selector = kind }) { server in
        let one = try BlockingPlayer(server.address, table: "shared", type: "list?items=5", name: "one")
        let other = try BlockingPlayer(server.address, table: "shared", type: "list?items=5", name: "other")
        let items = one.items
        one.move(items[0])
        other.move(items[1])
        let isDone = { (player: BlockingPlayer) in player.diffs.count { $0.sequence != .zero } == 2 }
        #expect(try one.read(until: isDone))
        #expect(try other.read(until: isDone))
        #expect(one.items == other.items)
        #expect(Set(one.items.suffix(2)) == Set(items[..<2]))
        #expect(try one.isLevel() && other.isLevel(), "I1")
        // Each shard's copy is from its last turn: a connection that was just handed over may be counted twice for a moment.
        #expect(
          try await eventually {
            let statistics = server.statistics
            return statistics.operations.accepted == 2 && statistics.connections == 2 && statistics.tables == 1
          })
      }
    }

    @Test func `a hundred operations pipelined after the hello are answered in order`() async throws {
      try await withServer { server in
        // Wherever the connection is accepted, one of the two tables lives elsewhere.
        for shard in 0..<2 {
          let name = table(on: shard, of: 2)
          let (_, made) = try server.join(name)
          let client = try BlockingClient(server.address)
          var bytes = ClientMessage.hello(Hello(table: name)).framed()
          for number in 1...100 as ClosedRange<UInt64> {
            bytes += made.move(made.items[Int(number % 3)], number: number).framed()
          }
          // In small pieces, so that the handover is in the middle of frames.
          for start in stride(from: 0, to: bytes.count, by: 700) {
            client.write(Array(bytes[start..<min(start + 700, bytes.count)]))
          }
          _ = try client.joined()
          for number in 1...100 as ClosedRange<UInt64> { #expect(try client.first(\.answered) == number) }
        }
      }
    }

    @Test func `a thousand frames at once do not delay other clients`() async throws {
      try await withServer({ $0.shardCount = 1 }) { server in
        let (busy, _) = try server.join("busy", "list")
        let (calm, _) = try server.join("calm", "list")
        let count = 20_000
        busy.write((0..<count).flatMap { ClientMessage.ping(Ping(nonce: UInt64($0))).framed() })
        #expect(try calm.ping(7)?.nonce == 7)
        for nonce in 0..<count {
          let pong = try busy.first(\.pong)
          try #require(pong?.nonce == UInt64(nonce), "every frame is received, in order")
        }
      }
    }

    @Test func `seeds are used where they are allowed`() async throws {
      let hello = Hello(table: "cards", tableType: "klondike", seed: 7)
      try await withServer { server in
        let reason = try refusal(of: hello, at: server.address)
        #expect(reason == .seedNotAllowed)
      }
      var hashes: Set<UInt64> = []
      for _ in 0..<2 {
        try await withServer({ $0.allowsSeeds = true }) { server in
          let (client, _) = try BlockingClient.joining(server.address, hello)
          hashes.insert(try #require(try client.ping(1, wantsHash: true)).viewHash)
        }
      }
      #expect(hashes.count == 1)
    }
  }
}
