import Synchronization

/// A value that comes once, for any number of tasks that wait for it.
final class Promise<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waiters: [UInt64: CheckedContinuation<Value?, Never>] = [:]
    var lastWaiter: UInt64 = 0
  }

  private let state: Mutex<State>

  init(_ value: Value? = nil) { state = Mutex(State(value: value)) }

  /// The first value counts; those that come later are forgotten.
  func resolve(_ value: Value) {
    let waiters = state.withLock { state -> [CheckedContinuation<Value?, Never>] in
      guard state.value == nil else { return [] }
      state.value = value
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume(returning: value) }
  }

  /// The value, as soon as there is one.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before.
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
        // A cancellation that came before the waiter was there found no one to wake.
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
