/// Connections with deadlines that never go back in time, so that a plain queue keeps them in order.
struct DeadlineQueue {
  private var entries = Queue<(deadline: UInt64, connection: ConnectionKey)>()

  /// The earliest deadline, in monotonic nanoseconds.
  var first: UInt64? { entries.first?.deadline }

  mutating func append(_ connection: ConnectionKey, deadline: UInt64) {
    precondition(entries.last.map { $0.deadline <= deadline } ?? true, "deadline \(deadline) lies before the last one")
    entries.append((deadline, connection))
  }

  /// Removes the first connection if its deadline has passed. It may be closed already.
  mutating func popFirst(dueAt now: UInt64) -> ConnectionKey? {
    guard let deadline = first, deadline <= now else { return nil }
    return entries.popFirst()?.connection
  }
}
