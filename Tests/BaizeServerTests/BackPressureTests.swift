import BaizeLaboratory
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Testing

extension ServerTests {
  /// A slow client never delays another, and its queue is bounded (I8).
  @Suite struct BackPressure {
    /// So many diffs of a kilobyte each, a hundred times what a client may have unread. A debug build takes its time.
    #if DEBUG
      private static let diffs: UInt64 = 20_000
    #else
      private static let diffs: UInt64 = 100_000
    #endif

    @Test(arguments: SelectorKind.allCases)
    func `a client that does not read delays no other client and catches up when it reads`(
      _ kind: SelectorKind
    ) async throws {
      try await withServer({
        $0.selector = kind
        $0.shardCount = 1
        $0.limits.allowFloods()
      }) { server in
        let (busy, joined) = try server.join("busy", "list?items=2")
        let slow = try BlockingPlayer(server.address, table: "busy", receiveBufferBytes: 4096)
        let (calm, _) = try server.join("calm", "list")
        let others = try Others(server.address)
        try others.play(5)
        var gaps: [UInt64] = []
        var revision = joined.revision.rawValue + 1
        for round in 0..<Self.diffs / 100 {
          busy.write(updates(100, after: round * 100, at: revision, of: joined))
          if round % 10 == 0 {
            gaps.append(try Self.gap(of: calm, round))
          }
          revision += 100
          try busy.skip(frames: round == 0 ? 0 : 100)
        }
        #expect(try busy.ping(1) != nil)
        #expect(try await eventually { server.statistics.operations.accepted == Self.diffs + others.count })
        try others.play(5)
        Self.expectNoDelay(gaps, beside: others.gaps)
        #expect(try slow.isLevel(), "I1")
        #expect(slow.bytesReceived < 8 << 20, "\(slow.bytesReceived) bytes were kept for it")
      }
    }

    /// A table at which everyone reads, and a client elsewhere that waits for an answer meanwhile: the measure of this machine.
    private final class Others {
      private let busy: BlockingClient
      private let joined: BlockingClient.Joined
      private let calm: BlockingClient
      private(set) var count: UInt64 = 0
      private(set) var gaps: [UInt64] = []

      init(_ address: SocketAddress) throws {
        (busy, joined) = try BlockingClient.joining(address, Hello(table: "others", tableType: "list?items=2"))
        calm = try BlockingClient.joining(address, Hello(table: "elsewhere", tableType: "list")).client
      }

      func play(_ rounds: Int) throws {
        for _ in 0..<rounds {
          busy.write(updates(100, after: count, at: joined.revision.rawValue + count, of: joined))
          gaps.append(try BackPressure.gap(of: calm, count))
          count += 100
          try busy.skip(frames: 100)
        }
      }
    }

    private static func gap(of client: BlockingClient, _ nonce: UInt64) throws -> UInt64 {
      let start = MonotonicClock.now()
      #expect(try client.ping(nonce) != nil)
      return MonotonicClock.now() - start
    }

    /// A client that others delay is delayed most of the time; a busy machine delays every client now and then.
    private static func expectNoDelay(_ gaps: [UInt64], beside others: [UInt64]) {
      let (median, usual) = (gaps.sorted()[gaps.count / 2], others.sorted()[others.count / 2])
      print(
        "others waited for \(median / 1_000) µs, \((gaps.max() ?? 0) / 1_000) µs at most; usually \(usual / 1_000) µs")
      #expect(median < 30 * usual)
    }

    /// I8: short operations cause large diffs of a large item; the turn ends before they are much more than its bound.
    @Test func `a long turn ends early`() async throws {
      try await withServer({ $0.shardCount = 1 }) { server in
        let (player, joined) = try server.join("large", "list?items=1")
        let (count, texts) = (200 as UInt64, 14)
        player.send(joined.enlarge(texts: texts, number: 1))
        #expect(try player.ping(1) != nil)
        #expect(try await eventually { server.statistics.operations.accepted == 1 })
        let before = server.statistics
        player.write(joined.pins(2...count + 1) { Revision(rawValue: joined.revision.rawValue + $0 - 1) })
        #expect(try player.ping(2) != nil)
        #expect(try await eventually { server.statistics.operations.accepted == 1 + Int(count) })
        let after = server.statistics
        let bytes = Int(count) * texts * WireLimits.attributeTextBytesMax
        #expect(after.turns - before.turns >= bytes / (2 * ServerLimits.turnBytesMax))
      }
    }

    /// I8: operations wait in a socket while the frames of the turn before them are written.
    @Test func `a client that does not read is sent no more than one turn beyond its mark`() async throws {
      try await withServer({
        $0.shardCount = 1
        $0.durability = .memory
        $0.limits.allowFloods()
        $0.limits.connections.outboxHardBytes = 256 << 10
        $0.limits.connections.outboxSoftBytes = 128 << 10
        $0.limits.connections.outboxResumeBytes = 16 << 10
      }) { server in
        let (player, joined) = try server.join("large", "list?items=1")
        let texts = 7
        player.send(joined.enlarge(texts: texts, number: 1))
        #expect(try player.ping(1) != nil)
        let reader = try BlockingClient(server.address, receiveBufferBytes: 4096)
        try reader.join(Hello(table: "large", role: .spectator))
        #expect(try reader.ping(1) != nil)
        player.write(joined.pins(2...400))
        #expect(try player.ping(2) != nil)
        var count = 0
        _ = try reader.first { message -> Bool? in
          if message.diff?.author == joined.welcome.session { count += 1 }
          return message.part == nil ? nil : true
        }
        // The kernel has room for less than a turn. Each diff counts twice in a turn: as a frame and as a record.
        let turn = ServerLimits.turnBytesMax / (2 * texts * WireLimits.attributeTextBytesMax)
        #expect((1...turn * 3 / 2).contains(count), "\(count), of \(turn) in a turn")
      }
    }

    @Test(arguments: [false, true])
    func `a client that reads nothing or a byte at a time is disconnected and may reconnect`(reads: Bool) async throws {
      try await withServer({
        $0.limits.connections.stalledSeconds = 1
        $0.limits.connections.heartbeatSeconds = 600
      }) { server in
        let stalled = try BlockingClient(server.address, receiveBufferBytes: 4096)
        let credential = [UInt8](repeating: 7, count: WireLimits.credentialBytes)
        let joined = try stalled.join(
          Hello(table: "list", tableType: "list?items=100000", credential: credential))
        let (other, _) = try BlockingClient.joining(server.address, Hello(table: "list"))
        stalled.send(.snapshotRequest(why: "to fill the buffers"))
        #expect(
          try await eventually {
            if reads { stalled.readByte() }
            return try other.ping(1) != nil && server.statistics.connections == 1
          })
        let (_, back) = try BlockingClient.joining(
          server.address, Hello(table: "list", credential: credential))
        #expect(back.welcome.session == joined.welcome.session && back.items.count == 100_000)
      }
    }

    @Test(arguments: SelectorKind.allCases)
    func `many clients that connect at once are admitted without delaying players`(_ kind: SelectorKind) async throws {
      try await withServer({
        $0.selector = kind
        $0.shardCount = 2
        $0.limits.connections.handshakeSeconds = 600
      }) { server in
        let player = try BlockingPlayer(server.address, table: "list", type: "list?items=3")
        let crowd = try (0..<120).map { _ in try BlockingClient(server.address) }
        // All send their hello before any is received; every fourth sends nothing.
        for (number, client) in crowd.enumerated() where number % 4 != 0 {
          client.write(ClientMessage.hello(Hello(table: "crowd-\(number % 7)", tableType: "list")).framed())
        }
        player.move(player.items[0])
        #expect(try player.read { $0.answers.count == 1 })
        for (number, client) in crowd.enumerated() where number % 4 != 0 {
          _ = try client.joined()
        }
        for client in crowd { client.close() }
        #expect(try await eventually { server.statistics.connections == 1 })
        #expect(try player.isLevel())
      }
    }

    /// The account of memory decides, and the shards take its measures.
    @Test func `when memory is short, new tables are refused, and the others served`() async throws {
      let (bytesMax, lines) = (32 << 20, LogLines())
      try await withServer({
        $0.shardCount = 1
        $0.durability = .memory
        $0.memoryBytesMax = bytesMax
        // So that it may take more than a share.
        $0.sharedAddresses = AddressRange(parsing: "127.0.0.0/8").map { [$0] } ?? []
        $0.log = Log(.info) { lines.append($0) }
      }) { server in
        // A table that alone would take more than there is.
        #expect(
          try refusal(of: Hello(table: "large", tableType: "list?items=1000000"), at: server.address) == .tooManyTables)
        let (client, joined) = try server.join("small")
        var members: [BlockingClient] = []
        while server.statistics.memoryBytes <= MemoryMark.refusing.beginBytes(of: bytesMax), members.count < 200 {
          let (member, _) = try BlockingClient.joining(server.address, Hello(table: "small", role: .spectator))
          member.write(Self.part)
          members.append(member)
          _ = try client.ping(UInt64(members.count))
        }
        #expect(
          try await eventually { lines.all.contains { $0.contains("so that new tables are refused") } }, "\(lines.all)")
        #expect(try refusal(of: Hello(table: "new", tableType: "list"), at: server.address) == .tooManyTables)
        client.send(joined.move(joined.items[0], number: 1))
        #expect(try client.ping(1_000) != nil)
        members.removeAll()
        #expect(try await eventually { server.statistics.connections == 1 })
      }
    }

    /// The beginning of a frame of the largest size, of which the last bytes do not come.
    private static let part = [0x80, 0x80, 0x10] + [UInt8](repeating: 0, count: 200_000)

    @Test func `when memory is short, connections with much of an incomplete frame are disconnected`() async throws {
      let bytesMax = 32 << 20
      try await withServer({
        $0.shardCount = 1
        $0.durability = .memory
        $0.memoryBytesMax = bytesMax
        $0.sharedAddresses = AddressRange(parsing: "127.0.0.0/8").map { [$0] } ?? []
      }) { server in
        let (client, _) = try server.join("t")
        var members: [BlockingClient] = []
        for number in 1...300 as ClosedRange<UInt64> {
          let (member, _) = try BlockingClient.joining(server.address, Hello(table: "t", role: .spectator))
          member.write(Self.part)
          members.append(member)
          #expect(try client.ping(number) != nil)
        }
        let end = MemoryMark.disconnecting.beginBytes(of: bytesMax)
        #expect(try await eventually { server.statistics.memoryBytes < end })
        let dismissed = try members.count { member in
          try member.available().contains { $0.goodbye?.reason == .slow }
        }
        #expect(dismissed > 100 && dismissed < 250, "\(dismissed)")
        #expect(try client.ping(301) != nil)
      }
    }

    @Test func `a long snapshot is sent in parts without delaying others`() async throws {
      try await withServer({ $0.shardCount = 1 }) { server in
        let player = try BlockingClient(server.address)
        let joined = try player.join(Hello(table: "long", tableType: "list?items=200000"))
        #expect(joined.items.count == 200_000 && joined.parts >= 200)
        // The kernel's buffers take a small part of the snapshot.
        let newcomer = try BlockingClient(server.address, receiveBufferBytes: 65_536)
        newcomer.send(.hello(Hello(table: "long", role: .spectator)))
        var number: UInt64 = 0
        var revision = joined.revision
        var received: [ServerMessage] = []
        while !received.contains(where: { $0.part?.isComplete == true }) {
          number += 1
          player.send(joined.move(joined.items[Int(number)], number: number, base: revision))
          revision = try #require(try player.diff()).revision
          received += try newcomer.available()
        }
        #expect(number > 10, "the snapshot took \(number) operations of another")
        let parts = received.drop { $0.part == nil }.prefix { $0.part?.isComplete != true }
        #expect(parts.allSatisfy { $0.diff == nil }, "no diff stands between the parts")
        #expect(try newcomer.ping(1) != nil, "and then what came meanwhile")
      }
    }
  }
}

private let text = String(repeating: "x", count: 1_000)

/// Returns updates of a kilobyte each.
private func updates(
  _ count: UInt64, after last: UInt64, at revision: UInt64, of joined: BlockingClient.Joined
) -> [UInt8] {
  (1...count).flatMap { number in
    let note = Attribute("note", "\(last + number) \(text)")
    return joined.operation(
      .update(joined.items[0], attributes: [note], representations: []), number: last + number,
      base: Revision(rawValue: revision)
    ).framed()
  }
}
