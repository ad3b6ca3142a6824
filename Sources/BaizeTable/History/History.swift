/// The table's bounded window of diffs, as far as rebasing needs it: the items that each took out, and the vacant positions
/// that they left.
///
/// The records are in one flat array, in order, so that keeping them costs no allocation per operation. The records of
/// one item are linked from the latest backwards (``ItemRecord/lastTakeOut``), so that finding the position that an item had
/// reads the records of that item alone, however many others there are since the base.
///
/// The vacant positions directly in front of an item, or of a collection's end, are its *chain* (see `History+Chains.swift`).
struct History: Sendable {
  /// An item that a diff took out, and the vacant position that it left.
  struct TakeOut: Sendable, BitwiseCopyable {
    var revision: Revision
    var item: ItemID
    /// The session whose operation took the item out.
    var author: SessionID
    /// The revision at which the item had been put here, and the session whose position it is.
    var placed: Revision
    var placedBy: SessionID
    /// The number of the item's previous record; ``History/none`` if there is none.
    var previous: Int
    /// The revision of the position that counts as one with this one, since an undo put the item back (N5); zero for none.
    var successor = Revision.zero
    /// The run of the position (N4).
    var run: Run
    var collection: Int32
    /// The links of the chain.
    var links = Links()
  }

  /// No record.
  static let none = -1

  var takeOuts: [TakeOut] = []
  /// The number of the first of ``takeOuts``. Numbers never change.
  private(set) var firstNumber = 0
  /// The index in ``takeOuts`` of the window's first record; earlier ones are forgotten.
  private(set) var head = 0
  /// The oldest base that can still be carried forward.
  private(set) var oldestBase: Revision
  private var revisionsMax: UInt64
  private var takeOutsMax = TableLimits.historyTakeOutsMax
  /// Whether each revision counts the same number of records, whatever it has: nobody may notice how many items were taken out
  /// privately. Then the maximum number of records is one of revisions.
  let isUniform: Bool
  /// The steps of searches: one is about one position or record that is looked at by its links.
  let steps = StepCounter()
  /// The number of records looked at in order that count as a step, and that of comparisons of runs.
  private static let recordsPerStep = 8
  static let comparisonsPerStep = 32

  /// Creates an empty window at `revision`.
  ///
  /// - Parameter firstNumber: The number of its first record: higher than any that items of the state have from another
  ///   history, so that those refer to no record.
  init(
    at revision: Revision, firstNumber: Int = 0, revisionsMax: Int = TableLimits.historyRevisionsMax,
    isUniform: Bool = false
  ) {
    oldestBase = revision
    self.firstNumber = firstNumber
    self.revisionsMax = UInt64(revisionsMax)
    self.isUniform = isUniform
    limit(takeOuts: takeOutsMax)
  }

  /// Sets the maximum number of records.
  mutating func limit(takeOuts count: Int) {
    guard isUniform, !Mutation.base.isActive else { return takeOutsMax = count }
    takeOutsMax = .max
    revisionsMax = UInt64(min(TableLimits.historyRevisionsMax, count / TableLimits.changesPerRevision))
  }

  /// The number of the next record.
  var nextNumber: Int { firstNumber + takeOuts.count }

  /// Adds a record and returns its number.
  mutating func append(_ takeOut: TakeOut) -> Int {
    takeOuts.append(takeOut)
    return nextNumber - 1
  }

  /// Adds the record of a position that comes between two chains.
  ///
  /// - Parameters:
  ///   - inFront: The index of the root of the chain in front of it; −1 for none.
  ///   - behind: That of the chain of the item behind it.
  /// - Returns: The index of the root of all.
  /// - Complexity: O(1), expected O(log k) for one of k that the same diff takes out.
  @inline(__always) mutating func append(_ takeOut: TakeOut, between inFront: Int, _ behind: Int) -> Int {
    let index = takeOuts.count
    takeOuts.append(takeOut)
    guard inFront >= 0 || behind >= 0 else { return index }
    if max(inFront, behind) >= 0, takeOuts[max(inFront, behind)].revision == takeOut.revision {
      return join(join(inFront, index), behind)
    }
    let (own, left, right) = (link(index), link(inFront), link(behind))
    takeOuts.withUnsafeMutableBufferPointer { takeOuts in
      takeOuts[index].links.left = left
      takeOuts[index].links.right = right
      if inFront >= 0 { takeOuts[inFront].links.put(below: own) }
      if behind >= 0 { takeOuts[behind].links.put(below: own) }
    }
    return index
  }

  /// Whether there are more records than the bound.
  @inline(__always) var isFull: Bool { takeOuts.count - head > takeOutsMax }

  /// Forgets records older than the window, now that the table is at `revision`.
  ///
  /// - Complexity: O(1), amortized.
  mutating func trim(at revision: Revision) {
    if isFull || revision.rawValue - oldestBase.rawValue > revisionsMax { forget(at: revision) }
  }

  private mutating func forget(at revision: Revision) {
    if revision.rawValue - oldestBase.rawValue > revisionsMax {
      oldestBase = Revision(rawValue: revision.rawValue - revisionsMax)
    }
    if isFull { oldestBase = max(oldestBase, takeOuts[takeOuts.count - takeOutsMax].revision) }
    while head < takeOuts.count, takeOuts[head].revision <= oldestBase { head += 1 }
    if head > 64, head * 2 > takeOuts.count {
      takeOuts.removeFirst(head)
      firstNumber += head
      head = 0
    }
  }

  /// Forgets records newer than `revision`, which were rolled back.
  mutating func rollBack(to revision: Revision) {
    while takeOuts.count > head, let last = takeOuts.last, last.revision > revision { takeOuts.removeLast() }
    // The rolled-back records may have pushed the window past `revision`; the records pushed out stay lost.
    oldestBase = min(oldestBase, revision)
  }

  /// Returns the oldest base that can be carried forward at a revision: an authority's records are forgotten some revisions later
  /// than they count, and a replica's count as long as they are there.
  @inline(__always) func oldestBase(at revision: Revision, for role: Table.Role) -> Revision {
    guard role == .authority else { return oldestBase }
    return max(oldestBase, Revision(rawValue: revision.rawValue - min(revision.rawValue, revisionsMax)))
  }

  // MARK: Memory

  /// The memory of the records, in bytes.
  var memoryBytes: Int { takeOuts.capacity * MemoryLayout<TakeOut>.stride }

  /// Forgets all but the last revisions and records, now that the table is at `revision`.
  ///
  /// - Complexity: O(number of records).
  mutating func forgetMost(at revision: Revision) {
    let countMax = TableLimits.historyTakeOutsShort
    let revisionsMax = isUniform ? countMax / TableLimits.changesPerRevision : TableLimits.historyRevisionsShort
    var oldest = Revision(rawValue: revision.rawValue - min(revision.rawValue, UInt64(revisionsMax)))
    if !isUniform, takeOuts.count - head > countMax {
      oldest = max(oldest, takeOuts[takeOuts.count - countMax - 1].revision)
    }
    forget(before: oldest)
  }

  /// Forgets the records up to a revision.
  mutating func forget(before oldest: Revision) {
    guard oldest > oldestBase else { return }
    oldestBase = oldest
    while head < takeOuts.count, takeOuts[head].revision <= oldestBase { head += 1 }
    shrink()
  }

  /// Returns memory that was needed for more records.
  mutating func shrink() {
    guard takeOuts.capacity > (takeOuts.count - head) * 5 / 4 + 64 else { return }
    firstNumber += head
    takeOuts = Array(takeOuts[head...])
    head = 0
  }

  // MARK: Reading

  /// The record with a number; `nil` if it is forgotten.
  subscript(number: Int) -> TakeOut? {
    steps.add(1)
    return index(of: number).map { takeOuts[$0] }
  }

  @inline(__always) func index(of number: Int) -> Int? {
    let index = number - firstNumber
    return index >= head && index < takeOuts.count ? index : nil
  }

  /// Returns the records of the diffs after `base`, oldest first.
  ///
  /// - Complexity: O(log n).
  func takeOuts(since base: Revision) -> ArraySlice<TakeOut> {
    let window = takeOuts[index(after: base)...]
    steps.add(window.count / Self.recordsPerStep)
    return window
  }

  private func index(after base: Revision) -> Int { takeOuts[head...].partitionIndex { $0.revision > base } }

  /// Returns the number of the latest record since `base` of an item that is not on the table; ``none`` if there is none.
  ///
  /// - Complexity: O(w) for w records since the base.
  func latest(of item: ItemID, since base: Revision) -> Int {
    let window = takeOuts(since: base)
    return window.lastIndex { $0.item == item }.map { firstNumber + $0 } ?? Self.none
  }

  /// Returns the numbers of the latest records of items that return to the table.
  ///
  /// - Complexity: O(k + w) for k items and w records.
  func latestTakeOuts(of items: some Sequence<ItemID>) -> [ItemID: Int] {
    steps.add((takeOuts.count - head) / Self.recordsPerStep)
    let sought = Set(items)
    var latest: [ItemID: Int] = [:]
    for index in takeOuts.indices[head...] where sought.contains(takeOuts[index].item) {
      latest[takeOuts[index].item] = firstNumber + index
    }
    return latest
  }

  /// Returns whether each of `items` was last taken out after `base`, and by another session than `author`.
  ///
  /// - Parameters:
  ///   - isVisible: Whether the author may see the items of a collection. Records of other collections are ignored.
  ///   - key: See ``ItemFilter``.
  /// - Complexity: O(k + w) for k items and w records since the base.
  func othersTookOut(
    _ items: [ItemID], since base: Revision, not author: SessionID, key: UInt64, where isVisible: (Int32) -> Bool
  ) -> Bool {
    let window = takeOuts(since: base)
    if items.count <= 4 {
      return items.allSatisfy { item in
        window.last { $0.item == item && isVisible($0.collection) }.map { $0.author != author } ?? false
      }
    }
    var missing = Set(items)
    let filter = ItemFilter(missing, key: key)
    for takeOut in window.reversed()
    where filter.mayContain(takeOut.item) && isVisible(takeOut.collection) && missing.remove(takeOut.item) != nil {
      if takeOut.author == author { return false }
    }
    return missing.isEmpty
  }
}

extension History.TakeOut {
  /// Creates the record of an item that is about to be taken out.
  ///
  /// - Parameter next: The item behind it; −1 for none.
  @inline(__always) init(_ record: ItemRecord, author: SessionID, at revision: Revision, before next: Int32) {
    (self.revision, item, self.author) = (revision, record.id, author)
    (placed, placedBy, run) = (record.placed, record.placedBy, record.run)
    (previous, collection) = (record.lastTakeOut, record.collection)
    links = History.Links(parent: next)
  }
}

/// A set of items that may contain more than were inserted: most of the many records of a window are found not to concern
/// a set of items in a nanosecond (B. Bloom, "Space/time trade-offs in hash coding with allowable errors", 1970).
struct ItemFilter {
  private var words = [UInt64](repeating: 0, count: 128)
  private let factor: UInt64

  /// - Parameter key: A number unknown to clients, so that no client can choose ids for which the filter fails.
  init(_ items: Set<ItemID>, key: UInt64) {
    factor = key ^ 0x9E37_79B9_7F4A_7C15 | 1
    for item in items { insert(item) }
  }

  mutating func insert(_ item: ItemID) {
    let bit = bit(of: item)
    words[bit >> 6] |= 1 << UInt64(bit & 63)
  }

  @inline(__always) func mayContain(_ item: ItemID) -> Bool {
    let bit = bit(of: item)
    return words[bit >> 6] & 1 << UInt64(bit & 63) != 0
  }

  @inline(__always) private func bit(of item: ItemID) -> Int {
    Int(truncatingIfNeeded: (item.rawValue &* factor) >> 51)
  }
}

extension ArraySlice {
  /// Returns the first index from which on `isBehind` holds.
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
