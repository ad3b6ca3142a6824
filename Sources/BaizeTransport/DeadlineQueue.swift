/// A queue of connections whose deadlines ascend in the order in which they are appended.
struct DeadlineQueue {
  private var entries = Queue<(deadline: UInt64, connection: ConnectionKey)>()

  /// The earliest deadline, in monotonic nanoseconds; `nil` for an empty queue.
  var first: UInt64? { entries.first?.deadline }

  mutating func append(_ connection: ConnectionKey, deadline: UInt64) {
    precondition(entries.last.map { $0.deadline <= deadline } ?? true, "deadline \(deadline) is before the last one")
    entries.append((deadline, connection))
  }

  /// Removes and returns the first connection if it is due. It may have ended for other reasons by then.
  mutating func popFirst(dueAt now: UInt64) -> ConnectionKey? {
    guard let first, first <= now else { return nil }
    return entries.popFirst()?.connection
  }
}
