import Testing

@testable import BaizeHTTP

/// The opening handshake of WebSocket.
@Suite struct HandshakeTests {
  /// The vectors of RFC 3174, and one whose padding needs a block of its own.
  @Test(arguments: [
    ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
    (String(repeating: "a", count: 1_000), "291e9a6c66994949b57ba5e650361e98fc36b1ba"),
  ])
  func `SHA-1 digests are correct`(text: String, digest: String) {
    let hexadecimal = SHA1.digest(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(hexadecimal == digest)
  }

  /// The vectors of RFC 4648.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
  ])
  func `base64 is encoded and recognized`(text: String, encoding: String) {
    #expect(Base64.encode(Array(text.utf8)) == encoding)
    #expect(Base64.isEncoding(encoding, ofBytes: text.utf8.count))
    #expect(!Base64.isEncoding(encoding, ofBytes: text.utf8.count + 1))
    #expect(!Base64.isEncoding(encoding + "=", ofBytes: text.utf8.count))
  }

  @Test func `base64 with excess bits is refused`() {
    #expect(!Base64.isEncoding("Zh==", ofBytes: 1))
    #expect(!Base64.isEncoding("Zm9=", ofBytes: 2))
    #expect(!Base64.isEncoding("Zm-v", ofBytes: 3))
  }

  /// The example of RFC 6455, section 1.3.
  @Test func `the response's key is that of the standard`() {
    #expect(WebSocketHandshake.accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }

  private static let opening = [
    "Host: localhost", "Connection: keep-alive, Upgrade", "Upgrade: WebSocket", "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Extensions: permessage-deflate",
    "Sec-WebSocket-Protocol: chat",
  ]

  private func answer(
    _ fields: [String], _ line: String = "GET /ws HTTP/1.1"
  ) throws -> Result<HTTPResponse, HTTPRefusal> {
    let head = ([line] + fields + ["", ""]).joined(separator: "\r\n")
    return WebSocketHandshake.answer(try #require(try read(head).first))
  }

  @Test func `a handshake is accepted without extensions or subprotocols`() throws {
    let response = try answer(Self.opening).get()
    #expect(response.status == .switchingProtocols)
    #expect(response.fields.map(\.name) == ["Upgrade", "Connection", "Sec-WebSocket-Accept"])
  }

  @Test(arguments: [
    (1, "Connection: keep-alive", HTTPStatus.upgradeRequired),
    (2, "Upgrade: h2c", .upgradeRequired),
    (3, "Sec-WebSocket-Version: 8", .upgradeRequired),
    (3, "X: Y", .upgradeRequired),
    (4, "X: Y", .badRequest),
    (4, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ", .badRequest),
    (4, "Sec-WebSocket-Key: aGVsbG8=", .badRequest),
    (5, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", .badRequest),
  ])
  func `an invalid handshake is refused`(index: Int, field: String, status: HTTPStatus) throws {
    var fields = Self.opening
    fields[index] = field
    #expect(throws: HTTPRefusal.self) { try answer(fields).get() }
    guard case .failure(let refusal) = try answer(fields) else { return }
    #expect(refusal.status == status)
  }

  @Test func `HTTP 1.0 has no WebSocket`() throws {
    guard case .failure(let refusal) = try answer(Self.opening, "GET /ws HTTP/1.0") else {
      Issue.record("it was accepted")
      return
    }
    #expect(refusal.status == .upgradeRequired)
  }
}

/// Reads all requests of a text.
func read(_ text: String, bodyBytesMax: Int = 0) throws -> [HTTPRequest] {
  try read(Array(text.utf8), bodyBytesMax: bodyBytesMax)
}

func read(_ bytes: [UInt8], bodyBytesMax: Int = 0) throws -> [HTTPRequest] {
  var reader = HTTPRequestReader(bodyBytesMax: bodyBytesMax)
  var (requests, rest): ([HTTPRequest], [UInt8]) = ([], bytes)
  while let (request, count) = try rest.withUnsafeBytes({ try reader.next(in: $0) }) {
    requests.append(request)
    rest.removeFirst(count)
  }
  return requests
}
