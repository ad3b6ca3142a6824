import Synchronization

/// A value that comes once, from another thread, and that any number of tasks wait for without holding a thread.
final class Promise<Value: Sendable>: Sendable {
  private enum State {
    case open([CheckedContinuation<Value, Never>])
    case kept(Value)
  }

  private let state = Mutex(State.open([]))

  /// Gives the value. Only the first one counts.
  func keep(_ value: Value) {
    let waiting = state.withLock { state -> [CheckedContinuation<Value, Never>] in
      guard case .open(let waiting) = state else { return [] }
      state = .kept(value)
      return waiting
    }
    for continuation in waiting { continuation.resume(returning: value) }
  }

  var value: Value {
    get async {
      await withCheckedContinuation { continuation in
        let kept = state.withLock { state -> Value? in
          switch state {
          case .kept(let value): return value
          case .open(let waiting):
            state = .open(waiting + [continuation])
            return nil
          }
        }
        if let kept { continuation.resume(returning: kept) }
      }
    }
  }
}
