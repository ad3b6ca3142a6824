/// A connection on its way from one loop to another.
///
/// It is a value, so that it can be sent through a mailbox, but it owns an open descriptor: its holder either adopts or
/// closes it, once.
public struct DetachedConnection: Sendable {
  public let descriptor: Int32
  /// The bytes that were received and not consumed.
  public var leftover: [UInt8]
  /// The bytes that were queued and not sent.
  public let unsent: [UInt8]
  /// TLS, if the connection has it. The bytes above are not encrypted.
  var tls: TLSHandle?

  /// Creates a connection of a connected stream socket, for a loop to adopt.
  public init(descriptor: Int32, leftover: [UInt8] = [], unsent: [UInt8] = []) {
    self.descriptor = descriptor
    self.leftover = leftover
    self.unsent = unsent
  }

  /// Closes the descriptor, where no loop adopts it.
  public func close() {
    _ = tls?.take()
    SystemCall.closeDescriptor(descriptor)
  }
}
