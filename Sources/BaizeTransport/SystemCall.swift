import BaizeSystem

/// The one funnel for system calls. No other code reads `errno`.
///
/// An interrupted call is repeated; "would block" is a value, since it is a frequent result of non-blocking sockets;
/// everything else is thrown.
enum SystemCall {
  enum Outcome<Value> {
    case done(Value)
    /// The call would have had to wait: `EAGAIN`, or `EINPROGRESS` from a connect.
    case wouldBlock
  }

  /// Makes a call that returns -1 when it fails.
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

  /// Makes a call that never waits, such as `setsockopt`; "would block" is an error like any other.
  @discardableResult
  static func require<Value: SignedInteger>(
    _ name: StaticString, _ body: () -> Value
  ) throws(SystemError) -> Value {
    switch try attempt(name, body) {
    case .done(let value): return value
    case .wouldBlock: throw SystemError(call: name.description, errno: EAGAIN)
    }
  }

  /// Makes a call of the pthread family, which returns the error instead of setting `errno`.
  static func requireZero(_ name: StaticString, _ body: () -> Int32) throws(SystemError) {
    let code = body()
    if code != 0 { throw SystemError(call: name.description, errno: code) }
  }

  /// Closes a descriptor. Never repeated: after `EINTR` the number is free already and may be in use again.
  static func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
  }
}
