import BaizeHTTP
import BaizeLaboratory
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Foundation
import Testing

/// A client of the HTTP address over a blocking socket. It sends what a test says, byte for byte.
final class HTTPClient {
  private let socket: BlockingClient
  private var bytes: [UInt8] = []

  init(_ address: SocketAddress, from source: UInt8? = nil) throws {
    socket = try BlockingClient(address, from: source)
  }

  struct Response {
    var status = 0
    var fields: [String: String] = [:]
    var body: [UInt8] = []
  }

  /// Sends a request with the host of this machine, and reads the response.
  func get(_ path: String, _ fields: String..., method: String = "GET", host: String = "localhost") throws -> Response {
    let lines = ["\(method) \(path) HTTP/1.1", "Host: \(host)"] + fields + ["", ""]
    send(lines.joined(separator: "\r\n"))
    return try #require(try response(to: method))
  }

  func send(_ text: String) { socket.write(Array(text.utf8)) }
  func send(_ bytes: [UInt8]) { socket.write(bytes) }
  func close() { socket.close() }
  func endSending() { socket.endSending() }

  /// Reads a response; `nil` at the end of the stream.
  func response(to method: String = "GET") throws -> Response? {
    var end: Range<Int>?
    while true {
      end = bytes.firstRange(of: Array("\r\n\r\n".utf8))
      if end != nil { break }
      guard try read() else { return nil }
    }
    guard let end else { return nil }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    bytes.removeFirst(end.upperBound)
    var response = Response()
    response.status = Int(lines[0].split(separator: " ")[1]) ?? 0
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      response.fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    let count = method == "HEAD" ? 0 : response.fields["content-length"].flatMap(Int.init) ?? 0
    while bytes.count < count { try #require(try read()) }
    response.body = Array(bytes.prefix(count))
    bytes.removeFirst(count)
    return response
  }

  /// Whether the daemon ends the stream, and sends nothing before.
  func ends() throws -> Bool { try bytes.isEmpty && !read() && socket.hasEnded }

  /// Reads what is there, and returns whether that is anything.
  func hasReceived() -> Bool {
    bytes += socket.readBytes(waiting: false) ?? []
    return !bytes.isEmpty || socket.hasEnded
  }

  private func read() throws -> Bool {
    guard let more = socket.readBytes() else { return false }
    bytes += more
    return true
  }

  // MARK: WebSocket

  private static let opening = [
    "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  ]

  /// Connects a WebSocket.
  static func webSocket(_ address: SocketAddress, _ fields: String...) throws -> HTTPClient {
    let client = try HTTPClient(address)
    client.requestWebSocket(fields)
    try client.expectWebSocket()
    return client
  }

  /// Sends the request to change to WebSocket.
  func requestWebSocket(_ fields: [String] = []) { send(Self.webSocketRequest("/ws", fields)) }

  static func webSocketRequest(_ path: String = "/ws", _ fields: [String] = []) -> [UInt8] {
    let lines = ["GET \(path) HTTP/1.1", "Host: localhost"] + opening + fields + ["", ""]
    return Array(lines.joined(separator: "\r\n").utf8)
  }

  /// Reads the answer to that.
  func expectWebSocket() throws {
    let response = try #require(try response())
    #expect(response.status == 101 && response.fields["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }

  /// Sends a message of the protocol in one frame.
  func send(_ message: ClientMessage) { send(WebSocketFrame.bytes(.binary, message.encoded(), mask: 0x1234_5678)) }

  /// Reads the next frame; `nil` at the end of the stream.
  func frame() throws -> (opcode: WebSocketFrame.Opcode, payload: [UInt8])? {
    let reader = WebSocketFrameReader(isServer: false, payloadBytesMax: WireLimits.serverFrameBytesMax)
    while true {
      let frame = try bytes.withUnsafeBytes { bytes in
        try reader.next(in: bytes).map { ($0, $0.unmasked(bytes)) }
      }
      if let (frame, payload) = frame {
        #expect(frame.isFinal)
        bytes.removeFirst(frame.payload.upperBound)
        return (frame.opcode, payload)
      }
      guard try read() else { return nil }
    }
  }

  /// Reads up to the first message for which `pick` returns something.
  func first<Picked>(_ pick: (ServerMessage) -> Picked?) throws -> Picked? {
    while let (opcode, payload) = try frame() {
      guard opcode == .binary else { continue }
      if let picked = pick(try ServerMessage(decoding: payload)) { return picked }
    }
    return nil
  }

  /// Joins a table, and reads up to the end of the snapshot.
  func join(_ hello: Hello) throws -> BlockingClient.Joined {
    send(.hello(hello))
    var joined: BlockingClient.Joined?
    _ = try first { (message) -> Bool? in
      switch message {
      case .welcome(let welcome): joined = BlockingClient.Joined(welcome: welcome)
      case .snapshot(let part):
        joined?.items += part.items.map(\.id)
        joined?.revision = part.revision
        return part.isComplete ? true : nil
      case .goodbye(let goodbye):
        Issue.record("\(goodbye)")
        return true
      case .diff, .outcome, .drag, .pong, .seats, .presence, .chat, .countdown, .tokenTime, .watching, .unknown: break
      }
      return nil
    }
    return try #require(joined)
  }

  func ping(_ nonce: UInt64, wantsHash: Bool = false) throws -> Pong? {
    send(.ping(Ping(nonce: nonce, wantsHash: wantsHash)))
    return try first { if case .pong(let pong) = $0, pong.nonce == nonce { pong } else { nil } }
  }

  /// The end of a WebSocket.
  struct Ending: Equatable {
    let goodbyes: [GoodbyeReason]
    let code: UInt16?

    init(_ goodbyes: [GoodbyeReason], _ code: UInt16?) {
      self.goodbyes = goodbyes
      self.code = code
    }
  }

  /// Reads up to the close frame, and to the end of the stream behind it.
  ///
  /// - Returns: The reasons of the goodbyes before it, and its code.
  func ending() throws -> Ending {
    var goodbyes: [GoodbyeReason] = []
    var code: UInt16?
    while let (opcode, payload) = try frame() {
      #expect(code == nil, "nothing follows a close frame")
      switch opcode {
      case .close: code = try WebSocketFrame.closeCode(payload)?.rawValue ?? 1005
      case .binary:
        if case .goodbye(let goodbye) = try ServerMessage(decoding: payload) { goodbyes.append(goodbye.reason) }
      case .ping, .pong, .continuation, .text: break
      }
    }
    #expect(socket.hasEnded)
    return Ending(goodbyes, code)
  }
}

/// Runs a test against a daemon with HTTP.
func withHTTPServer(
  _ change: (inout ServerConfiguration) -> Void = { _ in }, _ body: (Server, SocketAddress) async throws -> Void
) async throws {
  try await withServer({ configuration in
    configuration.http = HTTPConfiguration(address: .loopback(port: 0))
    change(&configuration)
  }) { server in
    try await body(server, try #require(server.httpAddress))
  }
}
