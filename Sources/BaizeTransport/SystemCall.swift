#if canImport(Darwin)
  import Darwin
#else
  import CLinux
  import Glibc
#endif

/// The one funnel for calls to the operating system. Nobody else reads `errno`.
///
/// An interrupted call is made again; "not now" is a value, since a non-blocking socket says it all day long; everything
/// else is thrown.
enum SystemCall {
  enum Outcome<Value> {
    case done(Value)
    /// The call would have had to wait: `EAGAIN`, or `EINPROGRESS` from a connect.
    case wouldBlock
  }

  /// Makes a call that answers -1 when it fails.
  ///
  /// Inlined always: the closure is the call itself, on the path of each read and write.
  @inline(__always)
  static func attempt<Value: SignedInteger>(
    _ name: StaticString, _ body: () -> Value
  ) throws(SystemError) -> Outcome<Value> {
    while true {
      let value = body()
      if value != -1 { return .done(value) }
      switch errno {
      case EINTR: continue
      case EAGAIN, EINPROGRESS: return .wouldBlock
      case let code: throw SystemError(call: name.description, errno: code)
      }
    }
  }

  /// Makes a call that never waits, such as `setsockopt`; "not now" from it is an error like any other.
  @discardableResult
  static func require<Value: SignedInteger>(
    _ name: StaticString, _ body: () -> Value
  ) throws(SystemError) -> Value {
    switch try attempt(name, body) {
    case .done(let value): return value
    case .wouldBlock: throw SystemError(call: name.description, errno: EAGAIN)
    }
  }

  /// Makes a call of the pthread family, which answers the reason itself instead of leaving it in `errno`.
  static func requireZero(_ name: StaticString, _ body: () -> Int32) throws(SystemError) {
    let code = body()
    if code != 0 { throw SystemError(call: name.description, errno: code) }
  }

  /// Closes a descriptor. Never retried: after `EINTR` the number is free already, and may be somebody else's.
  static func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
  }
}
