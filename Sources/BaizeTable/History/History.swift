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
    /// The author put it where it said it would, the gap carried forward: not where the rules chose.
    var isAsAsked: Bool
    /// The first of those that were taken out together, which stand here in the order in which they stood there.
    var isFirst: Bool
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
    // What was taken back may have pushed the window past `revision`; what it pushed out is not known again.
    oldestBase = min(oldestBase, revision)
  }

  /// The records of the diffs after `base`, oldest first.
  ///
  /// - Complexity: O(log n).
  func takeOuts(since base: Revision) -> ArraySlice<TakeOut> {
    takeOuts[takeOuts[head...].partitionIndex { $0.revision > base }...]
  }

  /// When `author` last put `item` where it said it would, after `base`.
  func lastMove(of item: ItemID, by author: SessionID, since base: Revision) -> Revision? {
    takeOuts(since: base).last { $0.item == item && $0.author == author && $0.isAsAsked }?.revision
  }

  /// Whether each of `items` was last taken out after `base`, and by another than `author`.
  ///
  /// - Parameter isOpen: Whether the author is told what lies in a collection: what it is not told did not happen.
  ///
  /// - Complexity: O(k + w) for k items and w records since the base.
  func othersTookOut(
    _ items: [ItemID], since base: Revision, not author: SessionID, where isOpen: (Int32) -> Bool
  ) -> Bool {
    let window = takeOuts(since: base)
    if items.count <= 4 {
      return items.allSatisfy { item in
        window.last { $0.item == item && isOpen($0.collection) }.map { $0.author != author } ?? false
      }
    }
    var missing = Set(items)
    for takeOut in window.reversed() where isOpen(takeOut.collection) && missing.remove(takeOut.item) != nil {
      if takeOut.author == author { return false }
    }
    return missing.isEmpty
  }
}
