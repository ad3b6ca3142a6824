/// A journal without a disk, for tests and the simulator: what was not committed is gone after ``crash()``.
public final class MemoryJournal: Journal {
  /// What is durable, in order.
  public private(set) var committed: [JournalEntry] = []
  public private(set) var lastTurn = TurnNumber(rawValue: 0)
  private var appended: [JournalEntry] = []
  private var appendedTurn = TurnNumber(rawValue: 0)

  public init() {}

  public func append(_ entries: [JournalEntry], of turn: TurnNumber) {
    appended.append(contentsOf: entries)
    appendedTurn = turn
  }

  public func commit() -> TurnNumber {
    committed.append(contentsOf: appended)
    appended.removeAll()
    lastTurn = appendedTurn
    return lastTurn
  }

  /// Forgets what was not committed, as a machine does that loses its power.
  public func crash() {
    appended.removeAll()
    appendedTurn = lastTurn
  }
}
