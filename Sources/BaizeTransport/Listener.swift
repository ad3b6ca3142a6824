import BaizeSystem

/// A listening socket, which may be paused.
final class Listener {
  let descriptor: Int32
  /// The address that it is bound to, with the actual port where 0 was requested.
  let address: SocketAddress
  /// The end of a pause for lack of descriptors, in monotonic nanoseconds. Without a pause a level-triggered selector
  /// would report the waiting connection again and again, and the loop would do nothing but fail to accept it.
  var resumesAt: UInt64?

  init(on requested: SocketAddress) throws(SystemError) {
    let descriptor = try Socket.open(family: requested.family)
    do {
      try Socket.setReuseAddress(descriptor)
      try SystemCall.require("bind") { requested.withKernelForm { bind(descriptor, $0, $1) } }
      try SystemCall.require("listen") { listen(descriptor, TransportLimits.listenBacklogConnections) }
      self.address = try Socket.boundAddress(descriptor)
      self.descriptor = descriptor
    } catch {
      SystemCall.closeDescriptor(descriptor)
      throw error
    }
  }

  enum Arrival {
    case connection(Int32, SocketAddress)
    /// A connection that broke before it was accepted. The next one may be fine.
    case lost
    case none
  }

  /// Accepts the next connection.
  ///
  /// - Throws: `SystemError` only when there are no descriptors or no memory left: the caller pauses the listener.
  func accept() throws(SystemError) -> Arrival {
    do {
      switch try Socket.accept(from: descriptor) {
      case .wouldBlock: return .none
      case .done(let accepted):
        if let peer = SocketAddress(accepted.peer) { return .connection(accepted.descriptor, peer) }
        SystemCall.closeDescriptor(accepted.descriptor)
        return .lost
      }
    } catch {
      if error.isShortage { throw error }
      return .lost
    }
  }

  deinit {
    SystemCall.closeDescriptor(descriptor)
  }
}
