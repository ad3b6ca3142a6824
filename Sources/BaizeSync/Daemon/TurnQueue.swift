/// Holds what turns send until they are durable, and keeps the order.
struct TurnQueue {
  /// What the present turn sends.
  private(set) var open = FrameBatch()
  private var held: [(turn: TurnNumber, batch: FrameBatch)] = []
  private var released: [FrameBatch] = []
  private var spare: [FrameBatch] = []
  private var last = TurnNumber(rawValue: 0)

  /// Ends the present turn.
  ///
  /// - Parameter hasEntries: Whether there is something to commit before its frames may go out.
  /// - Returns: The number to commit; `nil` where there is nothing to wait for.
  @discardableResult
  mutating func close(hasEntries: Bool) -> TurnNumber? {
    guard hasEntries || !open.isEmpty else { return nil }
    let batch = open
    open = spare.popLast() ?? FrameBatch()
    guard hasEntries || !held.isEmpty else {
      released.append(batch)
      return nil
    }
    // Frames without entries wait too while others do: each connection has one ordered queue.
    if hasEntries { last = last.next }
    held.append((last, batch))
    return hasEntries ? last : nil
  }

  mutating func committed(_ turn: TurnNumber) {
    let count = held.prefix { $0.turn <= turn }.count
    released.append(contentsOf: held.prefix(count).map(\.batch))
    held.removeFirst(count)
  }

  mutating func nextReleased() -> FrameBatch? { released.isEmpty ? nil : released.removeFirst() }

  mutating func recycle(_ batch: FrameBatch) {
    batch.removeAll()
    if spare.count < 4 { spare.append(batch) }
  }
}
