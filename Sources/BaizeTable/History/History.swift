/// The table's bounded window of diffs, as far as rebasing needs it: which items each took out, and what followed them.
///
/// The records are in one flat array, in order, so that keeping them costs no allocation per operation. The records of one
/// item are chained from the latest back (``ItemRecord/lastTakeOut``), so that carrying a gap forward looks at what happened
/// to its anchor alone, however much happened since the base.
struct History: Sendable {
  /// One item that a diff took out of its position.
  struct TakeOut: Sendable, BitwiseCopyable {
    var revision: Revision
    var item: ItemID
    /// The first item that followed it and that the same diff did not take out; none at the end.
    var successor: ItemID
    var author: SessionID
    /// The number of the record before this one of the same item; ``History/none`` for none.
    var previous: Int
    var collection: Int32
    /// The author put it where the operation said, the gap carried forward, and not where the rules chose.
    var isAsAsked: Bool
    /// The first of those that were taken out together, which are recorded in the order in which they stood.
    var isFirst: Bool
  }

  /// No record.
  static let none = -1

  private var takeOuts: [TakeOut] = []
  /// The number of the first of ``takeOuts``. Numbers never change.
  private var firstNumber = 0
  /// The window's first record in ``takeOuts``; what is before it is forgotten.
  private var head = 0
  /// The oldest base that can still be carried forward.
  private(set) var oldestBase: Revision
  private let revisionsMax: UInt64

  /// An empty window at `revision`.
  init(at revision: Revision, revisionsMax: Int = TableLimits.historyRevisionsMax) {
    oldestBase = revision
    self.revisionsMax = UInt64(revisionsMax)
  }

  /// Adds a record and returns its number.
  mutating func append(_ takeOut: TakeOut) -> Int {
    takeOuts.append(takeOut)
    return firstNumber + takeOuts.count - 1
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
      firstNumber += head
      head = 0
    }
  }

  /// Forgets what is newer than `revision`, which was rolled back.
  mutating func rollBack(to revision: Revision) {
    while takeOuts.count > head, let last = takeOuts.last, last.revision > revision { takeOuts.removeLast() }
    // What was rolled back may have pushed the window past `revision`; what it pushed out is not known again.
    oldestBase = min(oldestBase, revision)
  }

  // MARK: Reading

  /// The record with a number; `nil` for one that is forgotten.
  subscript(number: Int) -> TakeOut? {
    let index = number - firstNumber
    return index >= head && index < takeOuts.count ? takeOuts[index] : nil
  }

  /// The records of the diffs after `base`, oldest first.
  ///
  /// - Complexity: O(log n).
  func takeOuts(since base: Revision) -> ArraySlice<TakeOut> { takeOuts[index(after: base)...] }

  /// The number that the first record after `base` has, or will have.
  ///
  /// - Complexity: O(log n).
  func firstNumber(after base: Revision) -> Int { firstNumber + index(after: base) }

  private func index(after base: Revision) -> Int { takeOuts[head...].partitionIndex { $0.revision > base } }

  /// The first record of an item, from a number on, whose collection passes `isVisible`.
  ///
  /// - Parameter latest: The number of the item's latest record; `nil` for an item that left the table, whose records are
  ///   searched.
  /// - Complexity: O(number of the item's records since), or of all records where `latest` is `nil`.
  func firstTakeOut(
    of item: ItemID, latest: Int?, from start: Int, where isVisible: (Int32) -> Bool
  ) -> (number: Int, takeOut: TakeOut)? {
    guard let latest else {
      let found = takeOuts[max(head, start - firstNumber)...].firstIndex { $0.item == item && isVisible($0.collection) }
      return found.map { (firstNumber + $0, takeOuts[$0]) }
    }
    var first: (number: Int, takeOut: TakeOut)?
    var number = latest
    while number >= start, let takeOut = self[number] {
      if isVisible(takeOut.collection) { first = (number, takeOut) }
      number = takeOut.previous
    }
    return first
  }

  /// The revision at which `author` last put an item where the operation said, from a record's number on.
  ///
  /// - Parameter latest: As in ``firstTakeOut(of:latest:from:where:)``.
  func lastMove(of item: ItemID, by author: SessionID, latest: Int?, from start: Int) -> Revision? {
    guard let latest else {
      return takeOuts[max(head, start - firstNumber)...].last {
        $0.item == item && $0.author == author && $0.isAsAsked
      }?.revision
    }
    var number = latest
    while number >= start, let takeOut = self[number] {
      if takeOut.author == author, takeOut.isAsAsked { return takeOut.revision }
      number = takeOut.previous
    }
    return nil
  }

  /// The numbers of the latest records of items that return to the table.
  ///
  /// - Complexity: O(k + w) for k items and w records.
  func latestTakeOuts(of items: some Sequence<ItemID>) -> [ItemID: Int] {
    let sought = Set(items)
    var latest: [ItemID: Int] = [:]
    for index in takeOuts.indices[head...] where sought.contains(takeOuts[index].item) {
      latest[takeOuts[index].item] = firstNumber + index
    }
    return latest
  }

  /// Whether each of `items` was last taken out after `base`, and by another than `author`.
  ///
  /// - Parameter isVisible: Whether the author may see which items are in a collection: what it may not see did not happen.
  /// - Complexity: O(k + w) for k items and w records since the base.
  func othersTookOut(
    _ items: [ItemID], since base: Revision, not author: SessionID, where isVisible: (Int32) -> Bool
  ) -> Bool {
    let window = takeOuts(since: base)
    if items.count <= 4 {
      return items.allSatisfy { item in
        window.last { $0.item == item && isVisible($0.collection) }.map { $0.author != author } ?? false
      }
    }
    var missing = Set(items)
    for takeOut in window.reversed() where isVisible(takeOut.collection) && missing.remove(takeOut.item) != nil {
      if takeOut.author == author { return false }
    }
    return missing.isEmpty
  }
}

extension ArraySlice {
  /// The first index from which on `isBehind` holds.
  ///
  /// - Complexity: O(log n).
  func partitionIndex(where isBehind: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
