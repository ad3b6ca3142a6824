import BaizeTable
import BaizeTransport
import BaizeWire
import Foundation

/// A client over a plain socket that takes in no more than it is told to: not a byte, one at a time, or all there is.
final class StubbornReader {
  private var descriptor: Int32
  private var bytes: [UInt8] = []
  private let reader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)
  private(set) var welcome: Welcome?

  /// What the end of a connection looked like.
  enum Ending: Equatable {
    case goodbye(String)
    /// The stream ended, maybe in the middle of a frame: the goodbye found no room behind what was not read.
    case unsaid
    /// Nothing ended for as long as it was waited for.
    case none
  }

  /// Connects to a daemon on this machine; every call waits for `patienceSeconds` at most.
  ///
  /// - Parameter receiveBufferBytes: A small one fills soon if nothing is read.
  init(_ address: SocketAddress, receiveBufferBytes: Int32 = 4 << 10, patienceSeconds: Int = 10) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var size = receiveBufferBytes
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    var patience = timeval(tv_sec: patienceSeconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var target = sockaddr_in()
    target.sin_family = sa_family_t(AF_INET)
    target.sin_port = address.port.bigEndian
    target.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &target) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw LoadSession.Failure(description: "cannot connect to \(address)") }
  }

  deinit { close() }

  func close() {
    if descriptor >= 0 { _ = Foundation.close(descriptor) }
    descriptor = -1
  }

  /// Says hello and reads until its stream is in order: to the end of the snapshot, or to the revision of the welcome.
  ///
  /// - Returns: The revision that it has then.
  @discardableResult
  func join(_ hello: Hello) throws -> UInt64 {
    let frame = ClientMessage.hello(hello).framed()
    guard frame.withUnsafeBytes({ send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }) == frame.count
    else {
      throw LoadSession.Failure(description: "a hello could not be sent")
    }
    while let message = try nextMessage() {
      switch message {
      case .welcome(let welcome): self.welcome = welcome
      case .snapshot(let part) where part.isComplete: return part.revision.rawValue
      case .goodbye(let goodbye): throw LoadSession.Failure(description: "was told \(goodbye.reason.rawValue)")
      case .snapshot, .diff, .outcome, .drag, .pong, .seats, .unknown: break
      }
    }
    throw LoadSession.Failure(description: "the stream ended before a snapshot was complete")
  }

  /// Reads one byte if there is one.
  func sip() {
    var byte: UInt8 = 0
    if recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == 1 { bytes.append(byte) }
  }

  /// Reads everything, to the end of the stream.
  func readToEnd() -> Ending {
    do {
      while let message = try nextMessage() {
        if case .goodbye(let goodbye) = message { return .goodbye(goodbye.reason.rawValue) }
      }
      return .unsaid
    } catch {
      return .none
    }
  }

  /// - Returns: `nil` at the end of the stream.
  /// - Throws: Where nothing comes in time, or what comes is no message.
  private func nextMessage() throws -> ServerMessage? {
    while true {
      if let message = try firstMessage() { return message }
      var room = [UInt8](repeating: 0, count: 64 << 10)
      let count = recv(descriptor, &room, room.count, 0)
      if count == 0 || count < 0 && errno == ECONNRESET { return nil }
      guard count > 0 else { throw LoadSession.Failure(description: "nothing came") }
      bytes += room.prefix(count)
    }
  }

  /// Takes the first message out of what was read.
  private func firstMessage() throws -> ServerMessage? {
    try bytes.withUnsafeBytes { buffer in try reader.next(in: buffer) }.map { range in
      defer { bytes.removeFirst(range.upperBound) }
      return try bytes.withUnsafeBytes { try ServerMessage(decoding: UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
  }
}
