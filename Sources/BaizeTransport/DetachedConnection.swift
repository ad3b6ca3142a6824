/// A connection between two loops: the first has let go of it, the second has not adopted it yet.
///
/// It is a value, so that it can travel through a mailbox; but it stands for an open descriptor. Whoever holds it either
/// adopts it or closes it, once.
public struct DetachedConnection: Sendable {
  public let descriptor: Int32
  /// What was received and not consumed.
  public let leftover: [UInt8]
  /// What was appended and not sent.
  public let unsent: [UInt8]

  /// A connected stream socket from elsewhere can be adopted in this form too.
  public init(descriptor: Int32, leftover: [UInt8] = [], unsent: [UInt8] = []) {
    self.descriptor = descriptor
    self.leftover = leftover
    self.unsent = unsent
  }

  /// For the holder who finds no loop for it.
  public func close() {
    SystemCall.closeDescriptor(descriptor)
  }
}
