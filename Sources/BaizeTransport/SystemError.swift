#if canImport(Darwin)
  import Darwin
#else
  import CLinux
  import Glibc
#endif

/// A call to the operating system that failed, and why.
///
/// Its reach is the descriptor it happened on: one connection, one listener.
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
  /// Whether the process, or the machine, has no room for one more descriptor. It passes when others are closed.
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
