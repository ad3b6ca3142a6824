/// A queue of connections that all have the same timeout, so that their deadlines ascend.
struct DeadlineQueue {
  var timeoutNanoseconds: UInt64
  private var entries = Queue<(deadline: UInt64, connection: ConnectionKey)>()

  init(timeoutNanoseconds: UInt64) { self.timeoutNanoseconds = timeoutNanoseconds }

  /// The earliest deadline, in monotonic nanoseconds; `nil` for an empty queue.
  var first: UInt64? { entries.first?.deadline }

  /// Starts a connection's timeout. `now` must not decrease from call to call.
  mutating func append(_ connection: ConnectionKey, at now: UInt64) {
    let deadline = now + timeoutNanoseconds
    precondition(entries.last.map { $0.deadline <= deadline } ?? true, "deadline \(deadline) is before the last one")
    entries.append((deadline, connection))
  }

  /// Removes and returns the first connection if it is due. It may have ended for other reasons by then.
  mutating func popFirst(dueAt now: UInt64) -> ConnectionKey? {
    guard let first, first <= now else { return nil }
    return entries.popFirst()?.connection
  }
}
