import BaizeHTTP
import Testing

/// The names and origins that requests may have.
@Suite struct AccessTests {
  private func status(
    _ access: HTTPAccess, host: String, origin: String? = nil, isShared: Bool = false
  ) throws -> HTTPStatus? {
    let field = origin.map { "Origin: \($0)\r\n" } ?? ""
    let request = try #require(try read("GET / HTTP/1.1\r\nHost: \(host)\r\n\(field)\r\n").first)
    return access.refusal(of: request, isShared: isShared)?.status
  }

  private static let local = HTTPAccess(listening: "127.0.0.1")

  @Test(arguments: ["localhost", "LOCALHOST:1", "127.0.0.1:7780", "127.9.9.9", "[::1]", "[::1]:7780"])
  func `the names of this machine are accepted`(host: String) throws {
    #expect(try status(Self.local, host: host) == nil)
  }

  /// A rebound name, and what only looks like an own one.
  @Test(arguments: [
    "example.org", "localhost.example.org", "127.0.0.1.example.org", "127.0.0.256", "127.1", "10.0.0.1", "[::2]", "",
    "localhost:x", "localhost:123456", "localhost@example.org", "[::1", "[::1]x", "a b", "127.0.0.1:80:80",
    "0x7f.0.0.1",
  ])
  func `other names are refused`(host: String) throws {
    #expect(try status(Self.local, host: host) == .misdirectedRequest)
  }

  @Test func `the listen address and the names that are allowed are accepted`() throws {
    let access = HTTPAccess(listening: "192.168.1.5", hosts: ["Board.example.org"])
    #expect(try status(access, host: "192.168.1.5:7780") == nil)
    #expect(try status(access, host: "board.example.org") == nil)
    #expect(try status(access, host: "192.168.1.6") == .misdirectedRequest)
    #expect(try status(access, host: "example.org") == .misdirectedRequest)
  }

  @Test func `a server at all addresses accepts every address and no name`() throws {
    let access = HTTPAccess(listening: nil)
    #expect(try status(access, host: "192.168.1.5:7780") == nil)
    #expect(try status(access, host: "[fe80::1]:7780") == nil)
    #expect(try status(access, host: "example.org") == .misdirectedRequest)
  }

  @Test(arguments: [
    ("localhost:7780", "http://localhost:7780", true), ("localhost:7780", "http://LOCALHOST:7780", true),
    ("localhost", "http://localhost", true), ("localhost:80", "http://localhost", true),
    ("localhost", "https://localhost", true), ("localhost:443", "https://localhost", true),
    ("localhost:7780", "http://localhost:7781", false), ("localhost:7780", "http://127.0.0.1:7780", false),
    ("localhost:7780", "http://example.org", false), ("localhost:7780", "null", false),
    ("localhost:7780", "", false), ("localhost:7780", "file://", false), ("localhost:80", "https://localhost", false),
    ("localhost:7780", "http://localhost:7780, http://localhost:7780", false),
    ("localhost:7780", "https://site.example", true), ("localhost:7780", "https://other.site.example", false),
  ])
  func `an origin is the host's, or one that is allowed`(host: String, origin: String, isAccepted: Bool) throws {
    let access = HTTPAccess(listening: "127.0.0.1", origins: ["https://Site.example"])
    #expect(try status(access, host: host, origin: origin) == (isAccepted ? nil : .forbidden))
    #expect(try status(access, host: host, origin: origin, isShared: true) == nil, "files that every page may read")
  }

  @Test func `several origins are refused`() throws {
    let origin = "Origin: http://localhost\r\n"
    let request = try #require(try read("GET / HTTP/1.1\r\nHost: localhost\r\n\(origin)\(origin)\r\n").first)
    #expect(Self.local.refusal(of: request, isShared: false)?.status == .forbidden)
  }

  @Test func `a request without a host is misdirected`() throws {
    let request = try #require(try read("GET / HTTP/1.0\r\n\r\n").first)
    #expect(Self.local.refusal(of: request, isShared: true)?.status == .misdirectedRequest)
  }
}
