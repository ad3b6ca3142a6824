import Testing

@testable import BaizeTransport

extension TransportTests {
  @Suite struct Addresses {
    @Test(arguments: [
      ("127.0.0.1:7777", "127.0.0.1:7777", true),
      ("0.0.0.0:0", "0.0.0.0:0", false),
      ("10.1.2.3:65535", "10.1.2.3:65535", false),
      ("127.255.0.9:1", "127.255.0.9:1", true),
      ("[::1]:7777", "[::1]:7777", true),
      ("[::]:80", "[::]:80", false),
      ("[2001:db8::5]:80", "[2001:db8::5]:80", false),
      ("[::ffff:10.0.0.1]:80", "10.0.0.1:80", false),
      ("[::ffff:127.0.0.1]:80", "127.0.0.1:80", true),
    ])
    func `an address parses and prints`(_ text: String, _ shown: String, _ loopback: Bool) throws {
      let address = try SocketAddress(parsing: text)
      #expect(address.description == shown)
      #expect(address.isLoopback == loopback)
      #expect(try SocketAddress(parsing: shown) == address)
    }

    @Test func `a name is resolved, and the text of the host has no port`() throws {
      #expect(try SocketAddress(parsing: "localhost:99").isLoopback)
      #expect(try SocketAddress(parsing: "127.0.0.1:99").hostText == "127.0.0.1")
      #expect(try SocketAddress(parsing: "[fe80::1]:99").hostText == "fe80::1")
    }

    @Test(arguments: [
      ("", SocketAddressError.missingPort("")),
      ("127.0.0.1", .missingPort("127.0.0.1")),
      ("127.0.0.1:", .missingPort("127.0.0.1:")),
      (":7777", .missingHost(":7777")),
      ("[]:7777", .missingHost("[]:7777")),
      ("host:65536", .badPort("65536")),
      ("host:-1", .badPort("-1")),
      ("host:+1", .badPort("+1")),
      ("host:http", .badPort("http")),
      ("::1:7777", .unbracketedV6("::1:7777")),
      ("[::1:7777", .unclosedBracket("[::1:7777")),
      ("[::1]7777", .missingPort("[::1]7777")),
      ("[::1]", .missingPort("[::1]")),
    ])
    func `an invalid text has its own error`(_ text: String, _ reason: SocketAddressError) {
      #expect(throws: reason) { try SocketAddress(parsing: text) }
      #expect(reason.description.contains("'"))
    }

    @Test func `the kernel's form has the same address`() throws {
      for text in ["127.0.0.1:7777", "[2001:db8:1:2:3:4:5:6]:7777"] {
        let test = try SocketAddress(parsing: text)
        let back = test.withKernelForm { SocketAddress($0, $1) }
        #expect(back == test)
      }
    }

    @Test(arguments: SelectorKind.allCases)
    func `a listener on IPv6 accepts`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let requested = try SocketAddress(parsing: "[::1]:0")
      // A machine without IPv6 has no such address; there is nothing to test then.
      guard let listener = try? test.loop.listen(on: requested) else { return }
      let address = try #require(test.loop.address(of: listener))
      #expect(address.host == requested.host && address.port != 0)
      let key = try test.loop.connect(to: address)
      try #require(try test.turns(until: { test.events.count == 2 }))
      #expect(test.events.contains(.connected(key)))
      #expect(test.peers.first?.host == requested.host)
    }
  }
}
