import BaizeDriver
import BaizeTransport
import Foundation
import Testing

#if canImport(Darwin)
  let streamSocket = SOCK_STREAM
  let packetSocket = SOCK_SEQPACKET
  /// Darwin has no such flag; the test's own socket raises no signal by `SO_NOSIGPIPE`.
  private let withoutSignal: Int32 = 0
#else
  let streamSocket = Int32(SOCK_STREAM.rawValue)
  let packetSocket = Int32(SOCK_SEQPACKET.rawValue)
  private let withoutSignal = Int32(MSG_NOSIGNAL)
#endif

/// The other end of a connection, which the test drives by plain system calls.
final class TestPeer {
  private(set) var descriptor: Int32

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    // A process that starts meanwhile would keep the connection open.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    // A `timeval`, in its layout: seconds and microseconds.
    let timeout = [HangGuard.seconds, 0]
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, timeout, socklen_t(MemoryLayout<Int>.size * 2))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, timeout, socklen_t(MemoryLayout<Int>.size * 2))
    #if canImport(Darwin)
      let on: [Int32] = [1]
      setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, on, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  /// Connects over TCP to a port of 127.0.0.1.
  convenience init(port: UInt16, receiveBufferBytes: Int32? = nil) throws {
    let descriptor = socket(AF_INET, streamSocket, 0)
    if var bytes = receiveBufferBytes {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }
    self.init(descriptor)
    var address = sockaddr_in()
    #if canImport(Darwin)
      address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
    #endif
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(result == 0)
  }

  /// Returns the ends of a Unix socket pair: one for a loop, one for the test.
  static func pair(_ type: Int32 = streamSocket) throws -> (descriptor: Int32, peer: TestPeer) {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
    return (ends[0], TestPeer(ends[1]))
  }

  deinit { close() }

  func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, withoutSignal) }
      guard sent > 0 else { return }
      rest = rest.dropFirst(sent)
    }
  }

  /// Reads once; empty at the end of the stream, `nil` when nothing arrived or the connection broke.
  func read(upTo count: Int = 65536, waiting: Bool = true) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = recv(descriptor, &bytes, count, waiting ? 0 : Int32(MSG_DONTWAIT))
    return got < 0 ? nil : Array(bytes.prefix(got))
  }

  /// Reads until `count` bytes are there, or no more arrive.
  func read(exactly count: Int) -> [UInt8] {
    var all: [UInt8] = []
    while all.count < count, let more = read(upTo: count - all.count), !more.isEmpty { all += more }
    return all
  }

  /// Reads everything that has arrived, without waiting.
  ///
  /// - Returns: Whether the stream has ended.
  func take(into all: inout [UInt8]) -> Bool {
    while let more = read(upTo: 1 << 20, waiting: false) {
      if more.isEmpty { return true }
      all += more
    }
    return false
  }

  func endSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  func close() {
    if descriptor >= 0 { _ = Foundation.close(descriptor) }
    descriptor = -1
  }

  /// Closes so that the other end receives a reset instead of an end of stream.
  func reset() {
    // A `linger`, in its layout: on, for zero seconds.
    let option: [Int32] = [1, 0]
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, option, socklen_t(MemoryLayout<Int32>.size * 2))
    close()
  }

  var port: UInt16 {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return UInt16(bigEndian: address.sin_port)
  }
}
