import BaizeTable
import BaizeWire
import Testing

@testable import BaizeTransport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A client over a plain blocking socket, which waits for a few seconds at most. It keeps nothing but bytes: what a test
/// sends is what goes out.
final class TestClient {
  private var descriptor: Int32
  private var bytes: [UInt8] = []
  private var position = 0
  private var room = [UInt8](repeating: 0, count: 1 << 18)
  private let reader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)
  private(set) var hasEnded = false
  private(set) var bytesReceived = 0

  /// - Parameter receiveBufferBytes: A small one fills soon if nothing is read.
  init(_ address: SocketAddress, receiveBufferBytes: Int32? = nil) throws {
    #if canImport(Darwin)
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    if var size = receiveBufferBytes {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    wait(seconds: 5)
    guard address.withKernelForm({ connect(descriptor, $0, $1) }) == 0 else { throw Unreachable() }
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  struct Unreachable: Error {}

  deinit { close() }

  /// How long a read may take.
  func wait(seconds: Int, microseconds: Int = 0) {
    // A `timeval`, in its layout.
    let patience = [seconds, microseconds]
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, patience, socklen_t(MemoryLayout<Int>.size * 2))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, patience, socklen_t(MemoryLayout<Int>.size * 2))
  }

  func close() {
    guard descriptor >= 0 else { return }
    shutdown(descriptor, Int32(SHUT_RDWR))
    #if canImport(Darwin)
      _ = Darwin.close(descriptor)
    #else
      _ = Glibc.close(descriptor)
    #endif
    descriptor = -1
  }

  // MARK: Sending

  func send(_ messages: ClientMessage...) { write(messages.flatMap { $0.framed() }) }

  func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard sent > 0 else { return }
      rest = rest.dropFirst(sent)
    }
  }

  // MARK: Receiving

  /// The next message; `nil` at the end of the stream or if none comes in time.
  func next() throws -> ServerMessage? {
    while true {
      if let frame = try reader.next(in: bytes, from: position) {
        position = frame.upperBound
        return try bytes.withUnsafeBytes { try ServerMessage(decoding: UnsafeRawBufferPointer(rebasing: $0[frame])) }
      }
      guard fill(waiting: true) else { return nil }
    }
  }

  /// The messages that are there already, as far as one read gets them.
  func available() throws -> [ServerMessage] {
    _ = fill(waiting: false)
    var messages: [ServerMessage] = []
    while let frame = try reader.next(in: bytes, from: position) {
      position = frame.upperBound
      messages.append(try ServerMessage(decoding: Array(bytes[frame])))
    }
    return messages
  }

  /// Reads one byte, if there is one, and forgets it.
  func sip() { _ = recv(descriptor, &room, 1, Int32(MSG_DONTWAIT)) }

  /// Reads on over so many frames, without looking into them.
  func skip(frames count: Int) throws {
    var left = count
    while left > 0 {
      if let frame = try reader.next(in: bytes, from: position) {
        position = frame.upperBound
        left -= 1
      } else {
        try #require(fill(waiting: true))
      }
    }
  }

  private func fill(waiting: Bool) -> Bool {
    if position > 1 << 20 {
      bytes.removeFirst(position)
      position = 0
    }
    let flags = waiting ? 0 : Int32(MSG_DONTWAIT)
    let count = room.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, flags) }
    if count == 0 || count < 0 && errno == ECONNRESET { hasEnded = true }
    guard count > 0 else { return false }
    bytesReceived += count
    room.withUnsafeBytes { bytes.append(contentsOf: $0[..<count]) }
    return true
  }

  /// Reads on until a message for which `pick` answers something.
  func first<Picked>(_ pick: (ServerMessage) -> Picked?) throws -> Picked? {
    while let message = try next() {
      if let picked = pick(message) { return picked }
    }
    return nil
  }

  /// Reads on until the daemon says goodbye, and then until the stream ends.
  func goodbye() throws -> Goodbye? {
    let goodbye = try first { if case .goodbye(let goodbye) = $0 { goodbye } else { nil } }
    while try next() != nil { Issue.record("something came behind the goodbye") }
    return hasEnded ? goodbye : nil
  }

  /// Says hello and reads on until the snapshot is whole.
  func join(_ hello: Hello) throws -> Joined {
    send(.hello(hello))
    return try joined()
  }

  func joined() throws -> Joined {
    let welcome = try first { message -> Welcome? in
      if case .goodbye(let goodbye) = message { Issue.record("turned away: \(goodbye)") }
      if case .welcome(let welcome) = message { return welcome }
      return nil
    }
    var joined = Joined(welcome: try #require(welcome))
    while true {
      let part = try #require(try first { if case .snapshot(let part) = $0 { part } else { nil } })
      if part.isFirst { joined.items = [] }
      joined.items += part.items.map(\.id)
      joined.parts += 1
      joined.revision = part.revision
      if part.isComplete { return joined }
    }
  }

  /// What a client knows when it has joined.
  struct Joined {
    var welcome: Welcome
    var items: [ItemID] = []
    var parts = 0
    var revision = Revision.zero

    /// The operation `number` of this session: moves an item to the end of the first collection.
    func move(_ item: ItemID, number: UInt64, base: Revision? = nil) -> ClientMessage {
      let collection = CollectionHandle(rawValue: 1)
      return .operation(
        TableOperation(
          sequence: SequenceNumber(rawValue: number), base: base ?? revision, epoch: welcome.epoch,
          kind: .reorder(ReorderDifference(sources: [item], destination: .end(of: collection)), suggested: [])))
    }
  }

  /// Asks for a sign of life and reads on until it is there.
  func ping(_ nonce: UInt64, wantsHash: Bool = false) throws -> Pong? {
    send(.ping(Ping(nonce: nonce, wantsHash: wantsHash)))
    return try first { message in
      if case .pong(let pong) = message, pong.nonce == nonce { pong } else { nil }
    }
  }

  /// Reads on until the next diff.
  func diff() throws -> Diff? { try first { if case .diff(let diff) = $0 { diff } else { nil } } }
}
