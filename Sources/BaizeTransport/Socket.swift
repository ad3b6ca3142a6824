import BaizeSystem

/// The system calls on a socket's descriptor, and where the platforms differ in them.
enum Socket {
  #if canImport(Darwin)
    static let stream = SOCK_STREAM
    private static let protocolTCP = IPPROTO_TCP
    /// Darwin has no flag for a send without SIGPIPE; `prepare` sets `SO_NOSIGPIPE` instead.
    private static let sendFlags: Int32 = 0
  #else
    static let stream = Int32(SOCK_STREAM.rawValue)
    private static let protocolTCP = Int32(IPPROTO_TCP)
    private static let sendFlags = Int32(MSG_NOSIGNAL)
  #endif

  // MARK: Making

  /// Opens a TCP socket that neither blocks nor is inherited by a child process.
  static func open(family: Int32) throws(SystemError) -> Int32 {
    #if canImport(Darwin)
      let descriptor = try SystemCall.require("socket") { socket(family, stream, 0) }
    #else
      let type = stream | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      let descriptor = try SystemCall.require("socket") { socket(family, type, 0) }
    #endif
    return try keeping(descriptor) { () throws(SystemError) in try prepare(descriptor) }
  }

  /// Accepts the next connection of a listening socket.
  static func accept(
    from listening: Int32
  ) throws(SystemError) -> SystemCall.Outcome<(descriptor: Int32, peer: sockaddr_storage)> {
    var peer = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let outcome = try SystemCall.attempt("accept") {
      withUnsafeMutablePointer(to: &peer) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          #if canImport(Darwin)
            Darwin.accept(listening, address, &length)
          #else
            baize_accept4(listening, address, &length, Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue))
          #endif
        }
      }
    }
    switch outcome {
    case .wouldBlock:
      return .wouldBlock
    case .done(let descriptor):
      let kept = try keeping(descriptor) { () throws(SystemError) in
        try prepare(descriptor)
        try setNoDelay(descriptor)
        try setOption(descriptor, protocolTCP, TCP_NOTSENT_LOWAT, TransportLimits.kernelUnsentBytes)
      }
      return .done((kept, peer))
    }
  }

  /// Sets up an accepted or adopted descriptor where the platform has no flags for it: it does not block, raises no
  /// SIGPIPE and is not inherited by child processes.
  static func prepare(_ descriptor: Int32) throws(SystemError) {
    #if canImport(Darwin)
      try setOption(descriptor, SOL_SOCKET, SO_NOSIGPIPE)
      try setNonBlocking(descriptor)
      try SystemCall.require("fcntl") { fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    #endif
  }

  static func setNonBlocking(_ descriptor: Int32) throws(SystemError) {
    let flags = try SystemCall.require("fcntl") { fcntl(descriptor, F_GETFL) }
    if flags & O_NONBLOCK == 0 {
      try SystemCall.require("fcntl") { fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
    }
  }

  /// Disables Nagle's algorithm: the loop writes once per turn anyway.
  static func setNoDelay(_ descriptor: Int32) throws(SystemError) {
    try setOption(descriptor, protocolTCP, TCP_NODELAY)
  }

  static func setReuseAddress(_ descriptor: Int32) throws(SystemError) {
    try setOption(descriptor, SOL_SOCKET, SO_REUSEADDR)
  }

  // MARK: Bytes

  /// Reads from a socket.
  ///
  /// - Returns: The number of bytes read; 0 when the peer has ended its side.
  @inline(__always)
  static func receive(
    from descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> SystemCall.Outcome<Int> {
    try SystemCall.attempt("recv") { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
  }

  /// Writes to a socket.
  ///
  /// - Returns: The number of bytes that the kernel accepted.
  @inline(__always)
  static func send(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32
  ) throws(SystemError) -> SystemCall.Outcome<Int> {
    #if canImport(Darwin)
      try SystemCall.attempt("send") { Darwin.send(descriptor, bytes.baseAddress, bytes.count, sendFlags) }
    #else
      try SystemCall.attempt("send") { Glibc.send(descriptor, bytes.baseAddress, bytes.count, sendFlags) }
    #endif
  }

  /// Ends the sending side; the peer can still send.
  static func endSending(_ descriptor: Int32) throws(SystemError) {
    try SystemCall.require("shutdown") { shutdown(descriptor, Int32(SHUT_WR)) }
  }

  // MARK: State

  /// Returns the socket's pending error, or `nil`, and clears it.
  static func pendingError(_ descriptor: Int32, call: String) -> SystemError? {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    do {
      try SystemCall.require("getsockopt") { getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) }
    } catch {
      return error
    }
    return code == 0 ? nil : SystemError(call: call, errno: code)
  }

  static func boundAddress(_ descriptor: Int32) throws(SystemError) -> SocketAddress {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    try SystemCall.require("getsockname") {
      withUnsafeMutablePointer(to: &storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
      }
    }
    guard let address = SocketAddress(storage) else { throw SystemError(call: "getsockname", errno: EAFNOSUPPORT) }
    return address
  }

  // MARK: Private

  private static func setOption(
    _ descriptor: Int32, _ level: Int32, _ name: Int32, _ requested: Int32 = 1
  ) throws(SystemError) {
    var value = requested
    try SystemCall.require("setsockopt") {
      setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }
  }

  /// Returns the descriptor, or closes it if its setup fails.
  private static func keeping(
    _ descriptor: Int32, _ making: () throws(SystemError) -> Void
  ) throws(SystemError) -> Int32 {
    do {
      try making()
      return descriptor
    } catch {
      SystemCall.closeDescriptor(descriptor)
      throw error
    }
  }
}
