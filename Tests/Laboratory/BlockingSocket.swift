import BaizeDriver
package import Foundation

/// A blocking stream socket on this machine, by plain system calls: it sends and reads exactly when its owner asks for it.
package final class BlockingSocket {
  package private(set) var descriptor: Int32
  /// Whether the other end has ended the stream, or broken it, as far as it has been read.
  package private(set) var hasEnded = false

  #if canImport(Darwin)
    package static let stream = SOCK_STREAM
    /// Darwin has no such flag; the socket raises no signal by `SO_NOSIGPIPE`.
    private static let withoutSignal: Int32 = 0
  #else
    package static let stream = Int32(SOCK_STREAM.rawValue)
    private static let withoutSignal = Int32(MSG_NOSIGNAL)
  #endif

  /// Takes a descriptor over.
  package init(_ descriptor: Int32) {
    self.descriptor = descriptor
    // A process that starts meanwhile would keep the connection open.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    wait(seconds: HangGuard.seconds)
    #if canImport(Darwin)
      set(SOL_SOCKET, SO_NOSIGPIPE, 1 as Int32)
    #endif
  }

  /// Connects to a port of 127.0.0.1.
  ///
  /// - Parameters:
  ///   - source: The last byte of the address on this machine, 127.0.0.x, that it connects from; `nil` for the usual one.
  ///   - receiveBufferBytes: The size of the socket's receive buffer: a small one fills soon if nothing is read.
  package convenience init(port: UInt16, from source: UInt8? = nil, receiveBufferBytes: Int32? = nil) throws {
    self.init(socket(AF_INET, Self.stream, 0))
    if let receiveBufferBytes { set(SOL_SOCKET, SO_RCVBUF, receiveBufferBytes) }
    if let source {
      guard Self.withAddress(source, port: 0, { bind(descriptor, $0, $1) }) == 0 else {
        throw RunFailure("cannot connect from 127.0.0.\(source)")
      }
    }
    guard Self.withAddress(port: port, { connect(descriptor, $0, $1) }) == 0 else {
      throw RunFailure("cannot connect to port \(port)")
    }
    set(Int32(IPPROTO_TCP), TCP_NODELAY, 1 as Int32)
  }

  /// Calls `body` with the address 127.0.0.x.
  package static func withAddress<Result>(
    _ lastByte: UInt8 = 1, port: UInt16, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_in()
    #if canImport(Darwin)
      address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
    #endif
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = (0x7F00_0000 | UInt32(lastByte)).bigEndian
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }

  /// Returns the port that a socket is bound to.
  package static func port(of descriptor: Int32) -> UInt16 {
    withAddress(port: 0) { address, length in
      var length = length
      getsockname(descriptor, address, &length)
      return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
    }
  }

  deinit { close() }

  package func set<Value>(_ level: Int32, _ option: Int32, _ value: Value) {
    withUnsafeBytes(of: value) { _ = setsockopt(descriptor, level, option, $0.baseAddress, socklen_t($0.count)) }
  }

  /// Sets the longest time that a read or a write waits.
  package func wait(seconds: Int, microseconds: Int = 0) {
    // A `timeval`, in its layout.
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] { set(SOL_SOCKET, option, (seconds, microseconds)) }
  }

  package func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Self.withoutSignal) }
      guard sent > 0 else { return }
      rest = rest.dropFirst(sent)
    }
  }

  /// Reads once.
  ///
  /// - Returns: Empty at the end of the stream; `nil` when nothing has arrived in time, or the connection is broken.
  package func read(upTo count: Int = 1 << 16, waiting: Bool = true) -> [UInt8]? {
    var got = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      got = recv(descriptor, buffer.baseAddress, count, waiting ? 0 : Int32(MSG_DONTWAIT))
      if got == 0 || (got < 0 && errno == ECONNRESET) { hasEnded = true }
      used = max(0, got)
    }
    return got < 0 ? nil : bytes
  }

  /// Ends its own side of the stream, and can still read.
  package func endSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  package func close() {
    if descriptor >= 0 { _ = Foundation.close(descriptor) }
    descriptor = -1
  }
}
