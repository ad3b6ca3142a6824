/// The clients' deadlines in a binary heap. Entries are not removed early: the host ignores stale ones.
struct DeadlineHeap {
  struct Entry {
    let deadline: UInt64
    let index: Int
  }

  private var entries: [Entry] = []

  var first: UInt64? { entries.first?.deadline }

  /// - Complexity: O(log n).
  mutating func push(_ deadline: UInt64, _ index: Int) {
    entries.append(Entry(deadline: deadline, index: index))
    var child = entries.count - 1
    while child > 0, entries[child].deadline < entries[(child - 1) / 2].deadline {
      entries.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Removes and returns the earliest entry if its deadline has passed.
  ///
  /// - Complexity: O(log n).
  mutating func popFirst(dueAt now: UInt64) -> Entry? {
    guard let first = entries.first, first.deadline <= now else { return nil }
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    var parent = 0
    while let child = earlierChild(of: parent), entries[child].deadline < entries[parent].deadline {
      entries.swapAt(child, parent)
      parent = child
    }
    return first
  }

  private func earlierChild(of parent: Int) -> Int? {
    let left = 2 * parent + 1
    guard left < entries.count else { return nil }
    let right = left + 1
    return right < entries.count && entries[right].deadline < entries[left].deadline ? right : left
  }
}
