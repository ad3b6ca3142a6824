import BaizeSystem

/// One request to a server and everything that it answers, for a program that does nothing else meanwhile.
public enum BlockingExchange {
  /// Sends bytes, and returns everything that the server sends until it ends the stream.
  ///
  /// - Parameters:
  ///   - bytes: The request.
  ///   - address: The address of the server.
  ///   - bytesMax: The maximum size of the answer in bytes.
  ///   - seconds: The maximum time between two steps.
  /// - Throws: `SystemError` if the server cannot be reached, or does not answer in time.
  public static func run(
    _ bytes: [UInt8], with address: SocketAddress, bytesMax: Int, seconds: Int
  ) throws -> [UInt8] {
    let descriptor = try Socket.open(family: address.family)
    defer { SystemCall.closeDescriptor(descriptor) }
    let connected = try SystemCall.attempt("connect") { address.withKernelForm { connect(descriptor, $0, $1) } }
    if case .wouldBlock = connected {
      try wait(descriptor, POLLOUT, seconds)
      if let error = Socket.pendingError(descriptor, call: "connect") { throw error }
    }
    try send(bytes, to: descriptor, seconds)
    return try receive(from: descriptor, bytesMax, seconds)
  }

  private static func send(_ bytes: [UInt8], to descriptor: Int32, _ seconds: Int) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch try rest.withUnsafeBytes({ try Socket.send($0, to: descriptor) }) {
      case .done(let count): rest = rest.dropFirst(count)
      case .wouldBlock: try wait(descriptor, POLLOUT, seconds)
      }
    }
  }

  private static func receive(from descriptor: Int32, _ bytesMax: Int, _ seconds: Int) throws -> [UInt8] {
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      switch try buffer.withUnsafeMutableBytes({ try Socket.receive(from: descriptor, into: $0) }) {
      case .done(0): return received
      case .done(let count):
        received += buffer[..<count]
        guard received.count <= bytesMax else { throw SystemError(call: "recv", errno: EMSGSIZE) }
      case .wouldBlock: try wait(descriptor, POLLIN, seconds)
      }
    }
  }

  private static func wait(_ descriptor: Int32, _ event: Int32, _ seconds: Int) throws {
    var watched = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    let count = try SystemCall.require("poll") { poll(&watched, 1, Int32(seconds) * 1_000) }
    guard count > 0 else { throw SystemError(call: "poll", errno: ETIMEDOUT) }
  }
}
