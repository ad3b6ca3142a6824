import Synchronization

/// A value that is set once and that any number of tasks can await.
final class Promise<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waiters: [UInt64: CheckedContinuation<Value?, Never>] = [:]
    var lastWaiter: UInt64 = 0
  }

  private let state: Mutex<State>

  init(_ value: Value? = nil) { state = Mutex(State(value: value)) }

  /// Sets the value. Only the first call has an effect.
  func resolve(_ value: Value) {
    let waiters = state.withLock { state -> [CheckedContinuation<Value?, Never>] in
      guard state.value == nil else { return [] }
      state.value = value
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume(returning: value) }
  }

  /// Waits for the value.
  ///
  /// - Throws: `CancellationError` if the task is cancelled first.
  func value() async throws(CancellationError) -> Value {
    let number = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    let value = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let known = state.withLock { state -> Value? in
          if state.value == nil { state.waiters[number] = waiter }
          return state.value
        }
        if let known { waiter.resume(returning: known) }
        // If the task was cancelled before the waiter was registered, `onCancel` found nothing to resume.
        if known == nil, Task.isCancelled { forget(number) }
      }
    } onCancel: {
      forget(number)
    }
    guard let value else { throw CancellationError() }
    return value
  }

  private func forget(_ number: UInt64) {
    let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
    waiter?.resume(returning: nil)
  }
}
