import BaizeHTTP
import BaizeTable
import Testing

/// Requests, and what is none.
@Suite struct RequestTests {
  private static let simple = "GET /page?a=b HTTP/1.1\r\nHost: Example.org:80\r\nX-One:  two \r\n\r\n"

  @Test func `the parts of a request are read`() throws {
    let request = try #require(try read(Self.simple).first)
    #expect(request.method == "GET" && request.path == "/page" && request.query == "a=b")
    #expect(request.host == "example.org:80" && request.value("x-one") == "two")
    #expect(request.isPersistent && request.isCurrent && request.body.isEmpty && !request.hasUnreadBody)
  }

  @Test func `requests are read one after the other, in pieces of any size`() throws {
    let bytes = Array((Self.simple + "HEAD / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n" + Self.simple).utf8)
    let whole = try read(bytes)
    #expect(whole.map(\.method) == ["GET", "HEAD", "GET"] && whole.map(\.isPersistent) == [true, false, true])
    for size in 1...40 {
      var reader = HTTPRequestReader()
      var (requests, rest): ([HTTPRequest], [UInt8]) = ([], [])
      for start in stride(from: 0, to: bytes.count, by: size) {
        rest += bytes[start..<min(start + size, bytes.count)]
        while let (request, count) = try rest.withUnsafeBytes({ try reader.next(in: $0) }) {
          requests.append(request)
          rest.removeFirst(count)
        }
      }
      #expect(requests == whole && rest.isEmpty, "pieces of \(size)")
    }
  }

  /// The ways in which two programs may read the same bytes differently, and limits (I8).
  @Test(arguments: [
    ("GET / HTTP/1.1\r\n\r\n", HTTPStatus.badRequest),
    ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\nHost: a\n\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: a\n\r\n", .badRequest),
    ("GET / HTTP/1.1\rHost: a\r\n\r\n", .badRequest),
    ("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\n Host: a\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n\t2\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{0}\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{7F}\r\n\r\n", .badRequest),
    ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("GET / \r\nHost: a\r\n\r\n", .badRequest),
    ("GET /\r\nHost: a\r\n\r\n", .badRequest),
    ("GET /# HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("GET /é HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("GET * HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("G(T / HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("GET / http/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", .versionNotSupported),
    ("PRI * HTTP/2.0\r\n\r\n", .versionNotSupported),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", .badRequest),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", .lengthRequired),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", .badRequest),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\n", .badRequest),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n", .badRequest),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", .badRequest),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x1\r\n\r\n", .badRequest),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999999999999\r\n\r\n", .badRequest),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \r\n\r\n", .badRequest),
    ("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n", .expectationFailed),
    ("\u{16}\u{3}\u{1}\u{2}", .badRequest),
    ("GET /" + String(repeating: "x", count: HTTPLimits.requestLineBytesMax), .uriTooLong),
    ("GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: HTTPLimits.headBytesMax), .headerFieldsTooLarge),
    ("GET / HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: HTTPLimits.fieldsMax + 2), .headerFieldsTooLarge),
  ])
  func `ambiguous requests are refused`(text: String, status: HTTPStatus) {
    let refusal = #expect(throws: HTTPRefusal.self) { try read(text) }
    #expect(refusal?.status == status)
  }

  @Test func `a head at each limit is accepted`() throws {
    let fields = (0..<HTTPLimits.fieldsMax - 1).map { "X\($0): y\r\n" }.joined()
    #expect(try read("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n").count == 1)
    let line = "GET / HTTP/1.1"
    let path = String(repeating: "x", count: HTTPLimits.requestLineBytesMax - line.utf8.count)
    #expect(try read("GET /\(path) HTTP/1.1\r\nHost: a\r\n\r\n").count == 1)
    let rest = "GET / HTTP/1.1\r\nHost: a\r\nX: \r\n\r\n"
    let value = String(repeating: "x", count: HTTPLimits.headBytesMax - rest.utf8.count)
    #expect(try read("GET / HTTP/1.1\r\nHost: a\r\nX: \(value)\r\n\r\n").count == 1)
  }

  @Test func `a body within the limit is read, and a longer one ends the connection`() throws {
    let head = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n"
    #expect(try read(head + "abc", bodyBytesMax: 4).isEmpty)
    let requests = try read(head + "abcd" + Self.simple, bodyBytesMax: 4)
    #expect(requests.map(\.body) == [Array("abcd".utf8), []])
    let longer = try #require(try read(head, bodyBytesMax: 3).first)
    #expect(longer.hasUnreadBody && !longer.isPersistent && longer.body.isEmpty)
  }

  @Test func `HTTP 1.0 needs no host and ends with the response`() throws {
    let request = try #require(try read("GET / HTTP/1.0\r\n\r\n").first)
    #expect(request.host == nil && !request.isPersistent && !request.isCurrent)
  }

  @Test func `the host of a whole address counts`() throws {
    let request = try #require(try read("GET http://B.org:1/p?q HTTP/1.1\r\nHost: a.org\r\n\r\n").first)
    #expect(request.host == "b.org:1" && request.path == "/p" && request.query == "q")
    #expect(try read("GET https://b.org HTTP/1.1\r\nHost: a.org\r\n\r\n").first?.path == "/")
  }
}
