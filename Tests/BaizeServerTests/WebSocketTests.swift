import BaizeHTTP
import BaizeLaboratory
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Testing

extension ServerTests {
  /// Clients over WebSocket, beside others.
  @Suite struct WebSocket {
    private static let list = Hello(table: "list", tableType: "list?items=3")

    @Test(arguments: SelectorKind.allCases)
    func `players over WebSocket and over TCP share a table`(_ kind: SelectorKind) async throws {
      try await withHTTPServer({ $0.selector = kind }) { server, address in
        for shard in 0..<2 {
          let name = table(on: shard, of: 2)
          let hello = Hello(table: name, tableType: "list?items=3")
          let (client, joined) = try BlockingClient.joining(server.address, hello)
          let browser = try HTTPClient.webSocket(address)
          let view = try browser.join(hello)
          #expect(view.items == joined.items)
          browser.send(view.move(view.items[0], number: 1))
          #expect(try client.diff()?.sequence != nil)
          client.send(joined.move(joined.items[1], number: 1))
          let diffs = try (0..<2).map { _ in
            try browser.first { if case .diff(let diff) = $0, diff.sequence != .zero { diff } else { nil } }
          }
          #expect(diffs.allSatisfy { $0 != nil })
          #expect(try browser.ping(9, wantsHash: true)?.viewHash == client.ping(9, wantsHash: true)?.viewHash, "I1")
        }
      }
    }

    @Test func `operations right behind the handshake, as many as may be pending, are answered in order`() async throws
    {
      let count = UInt64(SyncLimits().sessions.pendingOperationsMax)
      try await withHTTPServer { server, address in
        for shard in 0..<2 {
          let name = table(on: shard, of: 2)
          let (_, made) = try server.join(name)
          let client = try HTTPClient(address)
          var bytes = HTTPClient.webSocketRequest()
          bytes += WebSocketFrame.bytes(.binary, ClientMessage.hello(Hello(table: name)).encoded(), mask: 7)
          for number in 1...count {
            let message = made.move(made.items[Int(number % 3)], number: number).encoded()
            if number % 3 == 0 {
              // In fragments, with a ping between them.
              bytes += WebSocketFrame.bytes(.binary, message.prefix(4), isFinal: false, mask: 0xFF00_00FF)
              bytes += WebSocketFrame.bytes(.ping, [1, 2, 3], mask: 5)
              bytes += WebSocketFrame.bytes(.continuation, [], isFinal: false, mask: 5)
              bytes += WebSocketFrame.bytes(.continuation, message.dropFirst(4), mask: 9)
            } else {
              bytes += WebSocketFrame.bytes(.binary, message, mask: UInt32(number) &* 0x9E37_79B9)
            }
          }
          for start in stride(from: 0, to: bytes.count, by: 977) {
            client.send(Array(bytes[start..<min(start + 977, bytes.count)]))
          }
          #expect(try client.response()?.status == 101)
          var answered: UInt64 = 0
          while answered < count {
            let last = answered
            let answer = try client.first { message -> (sequence: UInt64, isSnapshot: Bool)? in
              if let sequence = message.answered { return (sequence, false) }
              // For one who reads too slowly, a snapshot takes the place of the diffs.
              guard let sequence = message.part?.lastSequence.rawValue, sequence > last else { return nil }
              return (sequence, true)
            }
            let (sequence, isSnapshot) = try #require(answer)
            try #require(isSnapshot || sequence == last + 1, "\(sequence) follows \(last)")
            answered = sequence
          }
        }
      }
    }

    @Test func `a hello in fragments joins a table of either shard`() async throws {
      try await withHTTPServer { server, address in
        for shard in 0..<2 {
          let hello = ClientMessage.hello(Hello(table: table(on: shard, of: 2), tableType: "list?items=3")).encoded()
          let client = try HTTPClient.webSocket(address)
          for (index, byte) in hello.enumerated() {
            let opcode: WebSocketFrame.Opcode = index == 0 ? .binary : .continuation
            client.send(WebSocketFrame.bytes(opcode, [byte], isFinal: index == hello.count - 1, mask: UInt32(index)))
          }
          client.send(.ping(Ping(nonce: 1)))
          let pong = try client.first(\.pong)
          #expect(pong?.nonce == 1)
        }
      }
    }

    /// Frames that end the connection, with the code of the close frame and the reason of the goodbye before it.
    private static let wrong: [(String, [UInt8], UInt16, GoodbyeReason)] = [
      ("not masked", WebSocketFrame.bytes(.binary, [1]), 1002, .malformed),
      ("a reserved bit", [0xC2, 0x80, 0, 0, 0, 0], 1002, .malformed),
      ("a reserved opcode", [0x83, 0x80, 0, 0, 0, 0], 1002, .malformed),
      ("a reserved control opcode", [0x8B, 0x80, 0, 0, 0, 0], 1002, .malformed),
      ("a fragmented ping", WebSocketFrame.bytes(.ping, [], isFinal: false, mask: 1), 1002, .malformed),
      ("a ping of 126 bytes", [0x89, 0xFE, 0, 126], 1002, .malformed),
      ("a length that is too long", [0x82, 0xFE, 0, 125, 0, 0, 0, 0], 1002, .malformed),
      ("a length of 64 bits that needs 16", [0x82, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 1002, .malformed),
      ("a length with the highest bit", [0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0], 1002, .malformed),
      ("a continuation of nothing", WebSocketFrame.bytes(.continuation, [1], mask: 1), 1002, .malformed),
      (
        "a message within another",
        WebSocketFrame.bytes(.binary, [1], isFinal: false, mask: 1) + WebSocketFrame.bytes(.binary, [1], mask: 1), 1002,
        .malformed
      ),
      ("text", WebSocketFrame.bytes(.text, [0x41], mask: 1), 1003, .malformed),
      ("a close frame of one byte", WebSocketFrame.bytes(.close, [3], mask: 1), 1002, .malformed),
      ("a close frame with code 1005", WebSocketFrame.bytes(.close, [3, 0xED], mask: 1), 1002, .malformed),
      ("a close reason that is not UTF-8", WebSocketFrame.bytes(.close, [3, 0xE8, 0xFF], mask: 1), 1007, .malformed),
      (
        "a message that is none of the protocol", WebSocketFrame.bytes(.binary, [0xFF, 0xFF], mask: 1), 1007, .malformed
      ),
      ("a message of 1 MiB", [0x82, 0xFF, 0, 0, 0, 0, 0, 0x10, 0, 0], 1009, .frameTooLarge),
    ]

    @Test(arguments: wrong.indices)
    func `frames that are not accepted end the connection with a goodbye and a code`(index: Int) async throws {
      let (name, bytes, code, reason) = Self.wrong[index]
      try await withHTTPServer { server, address in
        for joins in [false, true] {
          let client = try HTTPClient.webSocket(address)
          if joins { _ = try client.join(Self.list) }
          client.send(bytes + WebSocketFrame.bytes(.ping, [], mask: 1))
          let ending = try client.ending()
          #expect(ending.code == code && ending.goodbyes == [reason], "\(name), after the hello: \(joins)")
        }
        let other = try HTTPClient.webSocket(address)
        _ = try other.join(Self.list)
        #expect(try other.ping(1) != nil)
      }
    }

    @Test func `a fragmented message is not longer than a whole one`() async throws {
      try await withHTTPServer({ $0.limits.connections.frameBytesMax = 20_000 }) { _, address in
        // An unknown field of 19,996 bytes behind a tag of one and a length of three.
        let message = [0x7A, 0x9C, 0x9C, 0x01] + [UInt8](repeating: 0, count: 19_996)
        let client = try HTTPClient.webSocket(address)
        _ = try client.join(Self.list)
        func send(_ message: [UInt8]) {
          client.send(WebSocketFrame.bytes(.binary, message.prefix(10_000), isFinal: false, mask: 3))
          client.send(WebSocketFrame.bytes(.continuation, message.dropFirst(10_000), mask: 4))
        }
        send(message)
        client.send(WebSocketFrame.bytes(.binary, message, mask: 5))
        #expect(try client.ping(1) != nil)
        send(message + [0])
        let ending = try client.ending()
        #expect(ending.code == 1009 && ending.goodbyes == [.frameTooLarge])
      }
    }

    @Test func `pings are answered with their payload, also before the hello and within a message`() async throws {
      try await withHTTPServer { _, address in
        let client = try HTTPClient.webSocket(address)
        for joins in [false, true] {
          if joins { _ = try client.join(Self.list) }
          for payload in [[], [1], Array(repeating: UInt8(7), count: 125)] as [[UInt8]] {
            client.send(
              WebSocketFrame.bytes(.pong, [9], mask: 1) + WebSocketFrame.bytes(.ping, payload, mask: 0xA5A5_5A5A))
            var frame = try client.frame()
            while let (opcode, _) = frame, opcode != .pong { frame = try client.frame() }
            #expect(frame?.payload == payload)
          }
        }
      }
    }

    /// The session goes on: a close frame is no goodbye.
    @Test func `a close frame is answered with its code, and the session can be resumed`() async throws {
      try await withHTTPServer { _, address in
        let client = try HTTPClient.webSocket(address)
        var hello = Self.list
        hello.credential = Array(repeating: 7, count: WireLimits.credentialBytes)
        let joined = try client.join(hello)
        client.send(WebSocketFrame.bytes(.close, [3, 0xE9] + Array("going".utf8), mask: 1))
        #expect(try client.ending() == HTTPClient.Ending([], 1001))
        let again = try HTTPClient.webSocket(address)
        let welcome = try again.join(hello).welcome
        #expect(welcome.session == joined.welcome.session && welcome.seat == joined.welcome.seat)
        again.send(WebSocketFrame.bytes(.close, [], mask: 1))
        #expect(try again.ending().code == 1005)
      }
    }

    @Test func `a goodbye is followed by a close frame with the reason's code`() async throws {
      try await withHTTPServer { server, address in
        let leaving = try HTTPClient.webSocket(address)
        _ = try leaving.join(Self.list)
        leaving.send(.goodbye(Goodbye(.leaving)))
        #expect(try leaving.ending() == HTTPClient.Ending([.leaving], 1000))
        let unknown = try HTTPClient.webSocket(address)
        unknown.send(.hello(Hello(table: "nowhere")))
        #expect(try unknown.ending() == HTTPClient.Ending([.unknownTable], 1008))
        let staying = try HTTPClient.webSocket(address)
        _ = try staying.join(Self.list)
        server.beginStop()
        #expect(try staying.ending() == HTTPClient.Ending([.shutdown], 1012))
      }
    }

    @Test func `a WebSocket without a hello times out`() async throws {
      try await withShortLimit { seconds in
        var isInTime = false
        try await withHTTPServer({ $0.limits.connections.handshakeSeconds = seconds }) { _, address in
          var watch = SilenceWatch()
          let client = try HTTPClient(address)
          client.requestWebSocket()
          isInTime = watch.isWithin(seconds: seconds)
          guard isInTime else { return }
          try client.expectWebSocket()
          client.send(WebSocketFrame.bytes(.ping, [], mask: 1))
          #expect(try client.ending() == HTTPClient.Ending([.timeout], 1008))
        }
        return isInTime
      }
    }

    @Test func `every connection is released`() async throws {
      try await withHTTPServer { server, address in
        for _ in 0..<20 {
          let client = try HTTPClient.webSocket(address)
          _ = try client.join(Self.list)
          client.send(WebSocketFrame.bytes(.binary, [1], isFinal: false, mask: 1))
          client.close()
        }
        #expect(try await eventually { server.statistics.connections == 0 })
      }
    }
  }
}
