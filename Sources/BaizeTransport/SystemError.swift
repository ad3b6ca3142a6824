import BaizeSystem

/// A failed system call and its reason. It concerns one descriptor: a connection or a listener.
public struct SystemError: Error, Equatable, Sendable {
  /// The name of the call, such as `bind`.
  public let call: String
  /// The operating system's number for the reason.
  public let errno: Int32

  public init(call: String, errno: Int32) {
    self.call = call
    self.errno = errno
  }
}

extension SystemError {
  /// Whether the process or the machine has no room for another descriptor. It passes when others are closed.
  var isShortage: Bool {
    switch errno {
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: true
    default: false
    }
  }
}

extension SystemError: CustomStringConvertible {
  /// For example `bind: Address already in use (errno 98)`.
  public var description: String {
    let reason = strerror(errno).map { String(cString: $0) } ?? "unknown reason"
    return "\(call): \(reason) (errno \(errno))"
  }
}
