import BaizeHTTP
import BaizeLaboratory
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Testing

extension ServerTests {
  /// Connections through proxies that tell the client's address. 127.0.0.1 is a proxy here, and 127.0.0.2 is none.
  @Suite struct Proxy {
    private static let hello = Hello(table: "list", tableType: "list?items=3")
    private static let binary: [UInt8] = [
      0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A, 0x21, 0x11, 0, 12, 10, 0, 0, 8, 127, 0, 0,
      1, 0x30, 0x39, 0x1E, 0x61,
    ]

    private func header(_ address: String) -> [UInt8] {
      Array("PROXY TCP4 \(address) 127.0.0.1 12345 7777\r\n".utf8)
    }

    private func withProxiedServer(
      _ change: (inout ServerConfiguration) -> Void = { _ in }, _ body: (Server, SocketAddress) async throws -> Void
    ) async throws {
      try await withHTTPServer(
        {
          $0.proxies = [AddressRange(parsing: "127.0.0.1")].compactMap(\.self)
          $0.isOpen = true
          change(&$0)
        }, body)
    }

    private func connect(_ server: Server, sending bytes: [UInt8], from source: UInt8? = nil) throws -> BlockingClient {
      let client = try BlockingClient(server.address, from: source)
      client.write(bytes)
      return client
    }

    @Test func `connections are limited by the address that the proxy tells`() async throws {
      try await withProxiedServer({ $0.connectionsPerAddressMax = 2 }) { server, http in
        let first = try connect(server, sending: header("10.0.0.7"))
        try first.join(Self.hello)
        let second = try HTTPClient(http)
        second.send(header("10.0.0.7") + HTTPClient.webSocketRequest())
        #expect(try second.response()?.status == 101)
        _ = try second.join(Self.hello)

        let third = try connect(server, sending: header("10.0.0.7"))
        #expect(try third.goodbye()?.reason == .tooManyConnections)
        let fourth = try HTTPClient(http)
        fourth.send(header("10.0.0.7") + HTTPClient.webSocketRequest())
        #expect(try fourth.response()?.status == 503)
        #expect(try fourth.get("/").status == 200, "requests count apart")
        let other = try connect(server, sending: Self.binary)
        try other.join(Self.hello)

        first.close()
        #expect(
          try await eventually {
            let again = try connect(server, sending: header("10.0.0.7"))
            return (try? again.join(Self.hello)) != nil
          })
      }
    }

    @Test func `a header may come in pieces, and with what follows it`() async throws {
      try await withProxiedServer { server, http in
        let message = ClientMessage.hello(Self.hello).framed()
        for bytes in [Self.binary + message, header("10.0.0.7") + message] {
          let whole = try connect(server, sending: bytes)
          #expect(try whole.joined().items.count == 3)
          let slow = try BlockingClient(server.address)
          for byte in bytes { slow.write([byte]) }
          #expect(try slow.joined().items.count == 3)
        }
        let client = try HTTPClient(http)
        for byte in Self.binary + Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8) { client.send([byte]) }
        #expect(try client.response()?.status == 200)
        #expect(try client.get("/baize.js").status == 200, "there is one header for a connection")
      }
    }

    /// A header that knows no client leaves the proxy's own address, of this machine.
    @Test func `a proxy's own connections have its address`() async throws {
      try await withProxiedServer({ $0.connectionsPerAddressMax = 1 }) { server, _ in
        let local = Array(Self.binary[..<12]) + [0x20, 0, 0, 0]
        let first = try connect(server, sending: local)
        try first.join(Self.hello)
        let second = try connect(server, sending: Array("PROXY UNKNOWN\r\n".utf8))
        #expect(try second.goodbye()?.reason == .tooManyConnections)
      }
    }

    @Test func `a proxy without a header, or with a wrong one, is refused`() async throws {
      try await withProxiedServer { server, http in
        for bytes in [ClientMessage.hello(Self.hello).framed(), Array("PROXY TCP4 a b c d\r\n".utf8)] {
          let client = try connect(server, sending: bytes)
          #expect(try client.goodbye()?.reason == .malformed)
          let browser = try HTTPClient(http)
          browser.send(bytes)
          #expect(try browser.response()?.status == 400)
        }
        let browser = try HTTPClient(http)
        #expect(try browser.get("/").status == 400)
        #expect(try await eventually { server.statistics.connections == 0 })
      }
    }

    /// What an operator has to correct is in the log, where one looks for it, and a stranger cannot fill the log with it.
    @Test func `a header that is missing or not expected is a line of the log, once`() async throws {
      let lines = LogLines()
      try await withProxiedServer({ $0.log = Log(.warning) { lines.append($0) } }) { server, http in
        let request = Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        for _ in 0..<3 {
          let client = try connect(server, sending: ClientMessage.hello(Self.hello).framed())
          #expect(try client.goodbye()?.reason == .malformed)
          let other = try connect(server, sending: header("10.0.0.7") + [UInt8](repeating: 0, count: 100), from: 2)
          #expect(try other.goodbye() != nil)
          for (address, bytes) in [(nil, request), (2, header("10.0.0.7") + request)] as [(UInt8?, [UInt8])] {
            let browser = try HTTPClient(http, from: address)
            browser.send(bytes)
            #expect(try browser.response()?.status == 400)
          }
        }
        let missing = "is not served: the header of the PROXY protocol is missing (see --proxy-protocol)"
        let unexpected = "is not served: it sends the header of the PROXY protocol, and its address is none of those"
        // One of each at both addresses.
        #expect(lines.all.count { $0.contains("127.0.0.1:") && $0.contains(missing) } == 2, "\(lines.all)")
        #expect(lines.all.count { $0.contains("127.0.0.2:") && $0.contains(unexpected) } == 2, "\(lines.all)")
        #expect(lines.all.count == 4)
      }
    }

    @Test func `nobody else may send a header`() async throws {
      try await withProxiedServer { server, http in
        for bytes in [Self.binary, header("10.0.0.7")] {
          let client = try connect(server, sending: bytes + [UInt8](repeating: 0, count: 100), from: 2)
          let reason = try #require(try client.goodbye()?.reason)
          #expect([.malformed, .expectedHello, .frameTooLarge].contains(reason))
          let browser = try HTTPClient(http, from: 2)
          browser.send(bytes + Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
          #expect(try browser.response()?.status == 400)
        }
        let client = try BlockingClient(server.address, from: 2)
        #expect(try client.join(Self.hello).items.count == 3)
        #expect(try HTTPClient(http, from: 2).get("/").status == 200)
      }
    }

    @Test func `a header is awaited for as long as a hello or a request`() async throws {
      try await withProxiedServer({ $0.limits.connections.handshakeSeconds = 1 }) { server, http in
        let client = try connect(server, sending: Array(Self.binary.dropLast()))
        let browser = try HTTPClient(http)
        browser.send(Array(header("10.0.0.7").dropLast()))
        #expect(try client.goodbye()?.reason == .timeout)
        #expect(try browser.ends())
        #expect(try await eventually { server.statistics.connections == 0 })
      }
    }

    @Test func `connections that wait for a header count in the total`() async throws {
      try await withProxiedServer({ $0.connectionsMax = 2 }) { server, http in
        let waiting = [try BlockingClient(server.address), try BlockingClient(server.address)]
        #expect(try await eventually { server.statistics.connections == 2 })
        let further = try BlockingClient(server.address)
        #expect(try further.goodbye()?.reason == .tooManyConnections)
        let browser = try HTTPClient(http)
        browser.send(header("10.0.0.7") + HTTPClient.webSocketRequest())
        #expect(try browser.response()?.status == 503)
        for client in waiting { client.close() }
        #expect(
          try await eventually {
            let next = try connect(server, sending: header("10.0.0.7"))
            return (try? next.join(Self.hello)) != nil
          })
      }
    }

    /// Who comes through a proxy is not on this machine.
    @Test func `behind a proxy an invite is needed to join`() async throws {
      try await withProxiedServer({ $0.isOpen = nil }) { server, _ in
        let creator = try connect(server, sending: header("10.0.0.7"))
        try creator.join(Self.hello)
        let other = try connect(server, sending: header("127.0.0.1"))
        other.send(.hello(Hello(table: "list")))
        #expect(try other.goodbye()?.reason == .inviteInvalid)
      }
    }
  }
}
