/// The table's bounded window of diffs, as far as rebasing needs it: what each took out, and what followed it.
///
/// A gap is carried forward by reading the window from the base on. The records lie in one flat array, in order, so that
/// this is a short scan and keeping them costs no allocation per operation.
struct History: Sendable {
  /// One item that a diff took out of its place.
  struct TakeOut: Sendable {
    var revision: Revision
    var item: ItemID
    /// The first item that followed it and that the same diff did not take out; none at the end.
    var successor: ItemID
    var author: SessionID
    var collection: Int32
    /// The author put it where it said it would: not where the rules or another's diff chose.
    var isAsAsked: Bool
  }

  private var takeOuts: [TakeOut] = []
  /// The window's first record; what stands before it is forgotten.
  private var head = 0
  /// The oldest base that can still be carried forward.
  private(set) var oldestBase: Revision
  private let revisionsMax: UInt64

  /// An empty window at `revision`.
  init(at revision: Revision, revisionsMax: Int = TableLimits.historyRevisionsMax) {
    oldestBase = revision
    self.revisionsMax = UInt64(revisionsMax)
  }

  mutating func append(_ takeOut: TakeOut) { takeOuts.append(takeOut) }

  /// Whether an item was taken out in `revision`; only the latest revision may be asked for.
  func tookOut(_ item: ItemID, in revision: Revision) -> Bool {
    var position = takeOuts.count - 1
    while position >= head, takeOuts[position].revision == revision {
      if takeOuts[position].item == item { return true }
      position -= 1
    }
    return false
  }

  /// Forgets what is older than the window, now that the table is at `revision`.
  ///
  /// - Complexity: O(1), amortized.
  mutating func trim(at revision: Revision) {
    if revision.rawValue - oldestBase.rawValue > revisionsMax {
      oldestBase = Revision(rawValue: revision.rawValue - revisionsMax)
    }
    if takeOuts.count - head > TableLimits.historyTakeOutsMax {
      oldestBase = max(oldestBase, takeOuts[takeOuts.count - TableLimits.historyTakeOutsMax].revision)
    }
    while head < takeOuts.count, takeOuts[head].revision <= oldestBase { head += 1 }
    if head > 64, head * 2 > takeOuts.count {
      takeOuts.removeFirst(head)
      head = 0
    }
  }

  /// Forgets what is newer than `revision`, which was taken back.
  mutating func takeBack(to revision: Revision) {
    while takeOuts.count > head, let last = takeOuts.last, last.revision > revision { takeOuts.removeLast() }
  }

  /// The records of the diffs after `base`, oldest first.
  ///
  /// - Complexity: O(log n).
  func takeOuts(since base: Revision) -> ArraySlice<TakeOut> {
    var low = head
    var high = takeOuts.count
    while low < high {
      let middle = (low + high) / 2
      if takeOuts[middle].revision > base { high = middle } else { low = middle + 1 }
    }
    return takeOuts[low...]
  }

  /// The last time that `item` was taken out after `base`.
  func lastTakeOut(of item: ItemID, since base: Revision) -> TakeOut? {
    takeOuts(since: base).last { $0.item == item }
  }
}
