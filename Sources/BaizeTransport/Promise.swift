import Synchronization

/// A value that another thread provides once, for any number of tasks that wait for it without holding a thread.
package final class Promise<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waiters: [UInt64: CheckedContinuation<Value?, Never>] = [:]
    var lastWaiter: UInt64 = 0
  }

  private let state: Mutex<State>

  package init(_ value: Value? = nil) { state = Mutex(State(value: value)) }

  /// Provides the value. The first one counts; later ones are ignored.
  package func resolve(_ value: Value) {
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
  /// - Throws: `CancellationError` when the task is cancelled before the value is there.
  package func value() async throws(CancellationError) -> Value {
    let number = nextWaiter()
    let value = await withTaskCancellationHandler {
      await wait(as: number, unless: { Task.isCancelled })
    } onCancel: {
      forget(number)
    }
    guard let value else { throw CancellationError() }
    return value
  }

  /// Waits for the value even if the task is cancelled.
  package func valueDespiteCancellation() async -> Value {
    while true {
      if let value = await wait(as: nextWaiter(), unless: { false }) { return value }
    }
  }

  private func nextWaiter() -> UInt64 {
    state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
  }

  private func wait(as number: UInt64, unless isCancelled: () -> Bool) async -> Value? {
    await withCheckedContinuation { waiter in
      let known = state.withLock { state -> Value? in
        if state.value == nil { state.waiters[number] = waiter }
        return state.value
      }
      if let known { waiter.resume(returning: known) }
      // A cancellation that came before the waiter was registered woke nobody.
      if known == nil, isCancelled() { forget(number) }
    }
  }

  private func forget(_ number: UInt64) {
    let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
    waiter?.resume(returning: nil)
  }
}
