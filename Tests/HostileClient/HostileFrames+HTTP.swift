import BaizeHTTP
import BaizeTable
import BaizeWire
import BaizeWorkload

/// The requests and the frames of WebSocket of hostile connections to the address for browsers.
extension HostileFrames {
  // MARK: Requests

  /// A request that the daemon answers and that leaves the connection open.
  mutating func request() -> [UInt8] {
    let path = random.pick([
      "/", "/baize.js", "/nowhere", "/baize/codec.js?v=1", "/ws", "/../../etc/passwd", "/%00",
    ])
    var lines = [
      "\(random.pick(["GET", "HEAD", "OPTIONS", "DELETE"])) \(path) HTTP/1.1", "Host: localhost:7780",
    ]
    for _ in 0..<random.below(4) { lines.append(field()) }
    return Self.head(lines)
  }

  private mutating func field() -> String {
    random.pick([
      "If-None-Match: \"1-2\", W/\"3\"", "Connection: keep-alive", "Accept: */*", "X-\(random.number()): x",
      "Origin: http://localhost:7780", "Origin: null", "Sec-Fetch-Site: cross-site", "Range: bytes=0-1",
    ])
  }

  /// A request that is refused, or almost right.
  mutating func brokenRequest() -> [UInt8] {
    let host = "Host: localhost"
    switch random.below(8) {
    case 0: return Self.head(["GET / HTTP/1.1", host, host])
    case 1:
      return Self.head([
        "GET / HTTP/1.1", "Host: \(random.pick(["example.org", "127.0.0.1.evil.example", "", "[::1"]))",
      ])
    case 2:
      return Self.head(["POST / HTTP/1.1", host, "Content-Length: \(random.number())"])
        + random.bytes(64)
    case 3:
      return Self.head(["POST / HTTP/1.1", host, "Transfer-Encoding: chunked", "Content-Length: 3"])
        + Array("0\r\n\r\n".utf8)
    case 4: return Self.head(["GET / HTTP/1.1", host, " folded: line"])
    case _: return mutated(request())
    }
  }

  /// More than one of the limits of a request.
  mutating func headerFlood() -> [UInt8] {
    let many = 1 + random.below(3_000)
    return random.happens(onceIn: 2)
      ? Self.head(["GET /\(String(repeating: "a", count: many * 4)) HTTP/1.1", "Host: localhost"])
      : Self.head(["GET / HTTP/1.1", "Host: localhost"] + (0..<many).map { "X-\($0): \($0)" })
  }

  static let upgrade = head([
    "GET /ws HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  ])

  mutating func brokenUpgrade() -> [UInt8] {
    switch random.below(3) {
    case 0: mutated(Self.upgrade)
    case 1:
      Self.head([
        "GET /ws HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket",
        "Sec-WebSocket-Version: \(random.below(20))", "Sec-WebSocket-Key: \(random.number())",
        "Origin: http://\(random.pick(["evil.example", "localhost", "localhost:1"]))",
      ])
    // A frame behind a request that is refused must not be read as one, nor as a request.
    case _:
      Self.head(["GET /ws HTTP/1.0", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket"])
        + WebSocketFrame.bytes(.binary, request(), mask: 0)
    }
  }

  private static func head(_ lines: [String]) -> [UInt8] { Array((lines + ["", ""]).joined(separator: "\r\n").utf8) }

  /// The bytes with some of them changed, removed or doubled.
  mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0...random.below(4) where !bytes.isEmpty {
      let index = random.below(bytes.count)
      switch random.below(3) {
      case 0: bytes[index] = random.bytes(1)[0]
      case 1: bytes.remove(at: index)
      case _: bytes.insert(bytes[index], at: index)
      }
    }
    return bytes
  }

  // MARK: Frames

  private mutating func mask() -> UInt32 { UInt32(truncatingIfNeeded: random.number()) }

  /// Control frames, and fragments of which none ends a message.
  mutating func controlFrame(isFirst: Bool) -> [UInt8] {
    if isFirst { return WebSocketFrame.bytes(.binary, [], isFinal: false, mask: mask()) }
    return random.happens(onceIn: 2)
      ? WebSocketFrame.bytes(.continuation, [], isFinal: false, mask: mask())
      : WebSocketFrame.bytes(
        random.pick([.ping, .pong]), random.bytes(random.below(126)), mask: mask())
  }

  /// A frame that breaks the rules, or is almost right.
  mutating func brokenFrame() -> [UInt8] {
    switch random.below(6) {
    case 0: return random.bytes(1 + random.below(300))
    case 1: return WebSocketFrame.bytes(.binary, random.bytes(random.below(300)))
    case 2: return [0x82, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF] + random.bytes(100)
    case 3: return WebSocketFrame.bytes(.close, random.bytes(random.below(126)), mask: mask())
    case 4: return WebSocketFrame.bytes(.text, random.bytes(random.below(100)), mask: mask())
    case _: return mutated(frames(of: anything()))
    }
  }

  /// A message in one to three frames, with a ping between them.
  mutating func frames(of message: ClientMessage) -> [UInt8] {
    let payload = message.encoded()
    guard random.happens(onceIn: 3), payload.count > 1 else {
      return WebSocketFrame.bytes(.binary, payload, mask: mask())
    }
    let middle = random.below(payload.count)
    return WebSocketFrame.bytes(.binary, payload.prefix(middle), isFinal: false, mask: mask())
      + WebSocketFrame.bytes(.ping, [], mask: mask())
      + WebSocketFrame.bytes(.continuation, payload.dropFirst(middle), mask: mask())
  }
}
