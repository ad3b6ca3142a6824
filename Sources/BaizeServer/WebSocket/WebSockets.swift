import BaizeHTTP
import BaizeTransport

/// A shard's connections that are WebSockets, as far as they differ from others.
struct WebSockets: ~Copyable {
  /// The number of WebSockets.
  private(set) var count = 0
  /// The fragments that have arrived of messages that are not complete.
  private var fragments: [ConnectionKey: [UInt8]] = [:]
  private var fragmentBytes = 0
  /// The codes of connections that are closed because of their frames.
  private var closeCodes: [ConnectionKey: WebSocketCloseCode] = [:]
  /// The messages that are passed to the machine, each behind its length.
  var messages = MessageBuffer()
  var runs = WebSocketRuns()

  var isEmpty: Bool { count == 0 }

  /// The memory besides that of the connections, in bytes.
  var memoryBytes: Int { isEmpty ? 0 : fragmentBytes + runs.memoryBytes + messages.capacity }

  mutating func opened() { count += 1 }

  mutating func closed(_ key: ConnectionKey) {
    count -= 1
    removeFragments(of: key)
    closeCodes[key] = nil
  }

  // MARK: Fragments

  /// Returns whether a message has begun and is not complete.
  func isWithinMessage(_ key: ConnectionKey) -> Bool { !fragments.isEmpty && fragments[key] != nil }

  /// Returns the size of the fragments that have arrived of a connection's message.
  func fragmentBytes(of key: ConnectionKey) -> Int { fragments.isEmpty ? 0 : fragments[key]?.count ?? 0 }

  /// Appends a fragment to its message. O(1) per byte, amortised.
  mutating func append(
    _ frame: WebSocketFrame, of bytes: UnsafeRawBufferPointer, from key: ConnectionKey, bytesMax: Int
  ) throws(WebSocketViolation) {
    guard (fragments[key]?.count ?? 0) + frame.payload.count <= bytesMax else { throw .tooLarge }
    fragmentBytes += frame.payload.count
    fragments[key, default: []] += frame.unmasked(bytes)
  }

  /// Puts the message that a last frame completes into the buffer; its fragments stay until the message is received.
  mutating func complete(
    _ frame: WebSocketFrame, of bytes: UnsafeRawBufferPointer, from key: ConnectionKey, bytesMax: Int
  ) throws(WebSocketViolation) {
    let before = fragments[key] ?? []
    guard before.count + frame.payload.count <= bytesMax else { throw .tooLarge }
    messages.append(frame, behind: before, of: bytes)
  }

  mutating func removeFragments(of key: ConnectionKey) {
    if !fragments.isEmpty { fragmentBytes -= fragments.removeValue(forKey: key)?.count ?? 0 }
  }

  // MARK: Codes

  mutating func setCloseCode(of key: ConnectionKey, _ code: WebSocketCloseCode) { closeCodes[key] = code }

  func closeCode(of key: ConnectionKey) -> WebSocketCloseCode? { closeCodes.isEmpty ? nil : closeCodes[key] }
}
