import BaizeTable

/// A state that snapshots are made from while the table continues, shared by the members that load at the same time and have
/// the same view.
final class FrozenState {
  let state: TableState
  /// Whether other members may load it, too.
  let isShared: Bool
  /// The position in the log of the first record that the state does not contain.
  let logEnd: RecordLog.Position

  /// The collections, each behind the one with the item that opens it: listed once for all members, when the first part is made.
  private(set) lazy var handles = state.handlesFromTop

  init(_ state: TableState, isShared: Bool = true, logEnd: RecordLog.Position = 0) {
    self.state = state.frozen()
    self.isShared = isShared
    self.logEnd = logEnd
  }

  /// The approximate memory that is kept for this state alone, in bytes, if a later one has `changedBytes`: what was replaced
  /// meanwhile, and the lists of its own. At most all of its contents.
  func pinnedBytes(until changedBytes: Int) -> Int {
    min(state.memoryBytes, changedBytes - state.changedBytes + state.listBytes)
  }
}

/// The frozen states that a table's snapshots are being made from, oldest first. Each may grow to the size of the table while
/// the table changes, so that there are few.
struct FrozenStates {
  private var all: [FrozenState] = []

  var count: Int { all.count }
  var isEmpty: Bool { all.isEmpty }
  /// The number of states that several members may load.
  var sharedCount: Int { all.reduce(0) { $0 + ($1.isShared ? 1 : 0) } }
  var oldestShared: FrozenState? { all.first(where: \.isShared) }
  var newestShared: FrozenState? { all.last(where: \.isShared) }

  mutating func append(_ state: FrozenState) { all.append(state) }

  /// Releases the states that no snapshot is made from any more.
  ///
  /// - Returns: Whether there were any.
  mutating func releaseUnused() -> Bool {
    let before = all.count
    var index = 0
    while index < all.count {
      if isKnownUniquelyReferenced(&all[index]) { all.remove(at: index) } else { index += 1 }
    }
    if all.isEmpty { all = [] }
    return all.count < before
  }

  /// Returns the approximate memory that the states do not share with the present one, in bytes: what changes have replaced
  /// since.
  ///
  /// What was replaced between two states was in the older one, so that the sum counts it once.
  func pinnedBytes(besides state: TableState) -> Int {
    var (sum, changedBytes) = (0, state.changedBytes)
    for frozen in all.reversed() {
      sum += frozen.pinnedBytes(until: changedBytes)
      changedBytes = frozen.state.changedBytes
    }
    return sum
  }
}
