#if canImport(Darwin)
  import Darwin
#else
  import CLinux
  import Glibc
#endif

/// A listening socket, and whether it rests.
final class Listener {
  let descriptor: Int32
  /// Where it listens indeed: the port is the real one, even if 0 was asked for.
  let address: SocketAddress
  /// When to go on after the descriptors ran out, in monotonic nanoseconds. Without such a rest a level-triggered
  /// selector would report the waiting connection for ever, and the loop would do nothing but fail to take it.
  var resumesAt: UInt64?

  init(on wished: SocketAddress) throws(SystemError) {
    let descriptor = try Socket.open(family: wished.family)
    do {
      try Socket.setReuseAddress(descriptor)
      try SystemCall.require("bind") { wished.withKernelForm { bind(descriptor, $0, $1) } }
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
    /// A connection that broke off while it waited. The next one may be fine.
    case lost
    case none
  }

  /// Takes the next waiting connection.
  ///
  /// - Throws: only when descriptors or memory have run out; then it is time for a rest.
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
