/// Connections with deadlines that never go back in time, so that a plain queue keeps them in order.
struct DeadlineQueue {
  private var entries: [(deadline: UInt64, connection: ConnectionKey)] = []
  private var head = 0

  /// The earliest deadline, in monotonic nanoseconds.
  var first: UInt64? { head < entries.count ? entries[head].deadline : nil }

  mutating func append(_ connection: ConnectionKey, deadline: UInt64) {
    precondition(entries.last.map { $0.deadline <= deadline } ?? true, "deadline \(deadline) lies before the last one")
    entries.append((deadline, connection))
  }

  /// Takes the first connection if its time has come. It may have gone for other reasons by then.
  mutating func popFirst(dueAt now: UInt64) -> ConnectionKey? {
    guard head < entries.count, entries[head].deadline <= now else { return nil }
    defer { dropFirst() }
    return entries[head].connection
  }

  private mutating func dropFirst() {
    head += 1
    if head * 2 >= entries.count {
      entries.removeFirst(head)
      head = 0
    }
  }
}
