import BaizeHTTP
import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeTableTypes
import Foundation

/// The seeds of fuzzing, made from the repository: vectors, table types, and the messages and journals of recorded games.
struct Seeds {
  let protocolFolder: URL

  /// Writes a folder for each target.
  func write(to folder: URL) throws {
    let messages = try messages()
    let client = messages.filter { $0.direction == "client" }
    let server = messages.filter { $0.direction == "server" }
    let recordings = SimulatedTypes.names.map(Recording.init)
    try write(.frames, [[7, 0] + client.flatMap(\.frame), [0, 1] + server.flatMap(\.frame)], to: folder)
    try write(.clientMessages, client.map(\.message), to: folder)
    try write(.serverMessages, server.map(\.message), to: folder)
    try write(.client, recordings.map(\.received) + almostRight(after: recordings.map(\.received)), to: folder)
    try write(.tableTypes, documents(), to: folder)
    try write(.journal, recordings.flatMap { [$0.journalInput(part: 0), $0.journalInput(part: 2)] }, to: folder)
    var random = RandomSource(seed: 1)
    let scripts = (1...32).map { length in (0..<length * 24).map { _ in UInt8(random.next(below: 256)) } }
    try write(.shard, scripts, to: folder)
    try write(.http, requests(), to: folder)
    try write(.webSocket, frames(of: client.map(\.message)), to: folder)
    try write(.proxy, proxyHeaders(), to: folder)
    #if OpenSSL
      try write(.tokens, TokenTarget.seeds, to: folder)
    #endif
  }

  // MARK: HTTP

  /// Streams of requests that are right, or almost.
  private func requests() -> [[UInt8]] {
    let host = "Host: localhost:7780"
    let upgrade = [
      host, "Connection: keep-alive, Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Origin: http://localhost:7780", "Sec-Fetch-Site: same-origin",
    ]
    let heads = [
      ["GET / HTTP/1.1", host], ["HEAD /baize.js?v=1 HTTP/1.1", "Host: [::1]", "If-None-Match: W/\"1-2\", *"],
      ["GET /ws HTTP/1.1"] + upgrade, ["POST / HTTP/1.1", host, "Content-Length: 3", "Connection: close"],
      ["GET http://127.0.0.1/ HTTP/1.0"], ["POST / HTTP/1.1", host, "Transfer-Encoding: chunked"],
      ["GET / HTTP/1.1", host, "Content-Length: 1", "Content-Length: 2"], ["OPTIONS * HTTP/1.1", host, " folded"],
    ]
    let streams = heads.map { Array(($0 + ["", ""]).joined(separator: "\r\n").utf8) }
    return (streams + [streams[0] + streams[1], streams[3] + Array("abc".utf8) + streams[0]]).enumerated()
      .map { [UInt8($0 * 7), UInt8($0 % 4)] + $1 }
  }

  private func proxyHeaders() -> [[UInt8]] {
    let lines = ["TCP4 10.0.0.7 127.0.0.1 12345 7777", "TCP6 2001:db8::9 ::1 1 65535", "UNKNOWN", "UNKNOWN ::1 x"]
    let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    let binary: [([UInt8], Int)] = [([0x20, 0], 0), ([0x21, 0x11], 12), ([0x21, 0x21], 36), ([0x21, 0x12], 300)]
    return lines.map { Array("PROXY \($0)\r\nrest".utf8) }
      + binary.map { signature + $0 + [UInt8($1 >> 8), UInt8($1 & 0xFF)] + [UInt8](repeating: 0x20, count: $1 + 4) }
  }

  /// The messages in frames, whole and divided, with control frames between them.
  private func frames(of messages: [[UInt8]]) -> [[UInt8]] {
    let divided = messages.prefix(8).flatMap { message in
      WebSocketFrame.bytes(.binary, message.prefix(3), isFinal: false, mask: 0x0102_0304)
        + WebSocketFrame.bytes(.ping, [1, 2], mask: 7)
        + WebSocketFrame.bytes(.continuation, message.dropFirst(3), mask: 5)
    }
    let whole = messages.flatMap { WebSocketFrame.bytes(.binary, $0, mask: 0xA0B0_C0D0) }
    let long = WebSocketFrame.bytes(.binary, [UInt8](repeating: 7, count: 70_000 - 5_000), mask: 9)
    let close = WebSocketFrame.bytes(.close, [3, 0xE8] + Array("end".utf8), mask: 1)
    let unmasked =
      messages.prefix(8).flatMap { WebSocketFrame.bytes(.binary, $0) } + WebSocketFrame.close(.normal, "end")
    return [[7, 1, 0] + divided + close, [63, 1, 0] + whole, [0, 1, 0] + long.prefix(60_000), [3, 0, 0] + unmasked]
  }

  /// Scripts of messages that are almost right, and of what the app does between them, alone and behind a recording.
  private func almostRight(after recordings: [[UInt8]]) -> [[UInt8]] {
    var random = RandomSource(seed: 1)
    return ([[]] + recordings).flatMap { recording in
      (1...8).map { length in
        recording
          + (0..<length * 8).flatMap { _ in
            let kind: UInt8 = random.next(below: 3) == 0 ? 0 : 1
            let script = [kind] + (0..<40).map { _ in UInt8(random.next(below: 256)) }
            return [UInt8(script.count)] + script
          }
      }
    }
  }

  private func write(_ target: FuzzTarget, _ inputs: [[UInt8]], to folder: URL) throws {
    let folder = folder.appendingPathComponent(target.rawValue)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (number, input) in inputs.enumerated() {
      try Data(input).write(to: folder.appendingPathComponent("seed-\(number)"))
    }
  }

  // MARK: Vectors

  private struct Message: Decodable {
    let direction: String
    let hexMessage: String
    let hexFrame: String

    enum CodingKeys: String, CodingKey {
      case direction
      case hexMessage = "message"
      case hexFrame = "delimited"
    }

    var message: [UInt8] { Self.bytes(hexMessage) }
    var frame: [UInt8] { Self.bytes(hexFrame) }

    private static func bytes(_ hex: String) -> [UInt8] {
      let digits = hex.compactMap(\.hexDigitValue)
      return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
  }

  private func messages() throws -> [Message] {
    let file = protocolFolder.appendingPathComponent("vectors/messages.json")
    return try JSONDecoder().decode([Message].self, from: Data(contentsOf: file))
  }

  // MARK: Table types

  /// The bundled documents and the fixtures, and the ones with options with some of them chosen.
  private func documents() throws -> [[UInt8]] {
    let folder = protocolFolder.appendingPathComponent("table-types")
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
      .sorted()
    let texts = try files.map { Array(try Data(contentsOf: folder.appendingPathComponent($0))) }
    let chosen = [("klondike", "draw=3&redeals=2"), ("kanban", "doing=1&cards=5"), ("list", "items=12")]
    return texts
      + chosen.compactMap { name, options in
        TableTypeLibrary.bundled[name].map { Array($0.text.utf8) + [0] + Array(options.utf8) }
      }
  }
}
