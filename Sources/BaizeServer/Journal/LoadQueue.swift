/// Tables that wait to be read from the journal, in the order in which they were asked for.
struct LoadQueue {
  struct Load: Equatable {
    let shard: Int
    let table: String
  }

  /// The next one stands last.
  private var leaving: [Load] = []
  private var coming: [Load] = []

  var isEmpty: Bool { leaving.isEmpty && coming.isEmpty }

  mutating func append(_ load: Load) { coming.append(load) }

  mutating func append(contentsOf loads: [Load]) { coming.append(contentsOf: loads) }

  /// O(1), amortised.
  mutating func popFirst() -> Load? {
    if leaving.isEmpty {
      leaving = coming.reversed()
      coming.removeAll(keepingCapacity: true)
    }
    return leaving.popLast()
  }
}
