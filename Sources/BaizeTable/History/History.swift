/// The table's bounded window of diffs, as far as rebasing needs it: the items that each took out, and the items that
/// followed them.
///
/// The records are in one flat array, in order, so that keeping them costs no allocation per operation. The records of
/// one item are linked from the latest backwards (``ItemRecord/lastTakeOut``), so that carrying a gap forward reads the
/// records of its anchor alone, however many others there are since the base.
struct History: Sendable {
  /// An item that a diff took out of its position.
  struct TakeOut: Sendable, BitwiseCopyable {
    var revision: Revision
    var item: ItemID
    /// The first item behind it that the same diff did not take out; none at the end.
    var successor: ItemID
    /// The last item in front of it that the same diff did not take out; none at the start.
    var predecessor: ItemID
    var author: SessionID
    /// The revision at which the item had been put where it was taken from, and the session that had put it there.
    var placed: Revision
    var placedBy: SessionID
    /// The number of the item's previous record; ``History/none`` if there is none.
    var previous: Int
    var collection: Int32
    /// Whether the item was put where the operation requested, carried forward, and not where the rules chose.
    var isAsRequested: Bool
    /// Whether it is the first of the items that were taken out together, which are recorded in table order.
    var isFirst: Bool
  }

  /// No record.
  static let none = -1

  private var takeOuts: [TakeOut] = []
  /// The number of the first of ``takeOuts``. Numbers never change.
  private var firstNumber = 0
  /// The index in ``takeOuts`` of the window's first record; earlier ones are forgotten.
  private var head = 0
  /// The oldest base that can still be carried forward.
  private(set) var oldestBase: Revision
  private let revisionsMax: UInt64
  /// The maximum number of records, those of ``charges`` included.
  var takeOutsMax = TableLimits.historyTakeOutsMax
  /// By how much the number of records that a diff counts differs from what it has: nobody may notice how many items were
  /// taken out privately. Ascending by revision; only those of the window.
  private var charges: [(revision: Revision, count: Int)] = []
  /// The sum of ``charges``.
  private var charged = 0
  /// Whether diffs are charged. How many records are forgotten at the bound must not depend on how many a charge was for.
  private var hasCharges = false

  /// Creates an empty window at `revision`.
  ///
  /// - Parameter firstNumber: The number of its first record: higher than any that items of the state have from another
  ///   history, so that those refer to no record.
  init(at revision: Revision, firstNumber: Int = 0, revisionsMax: Int = TableLimits.historyRevisionsMax) {
    oldestBase = revision
    self.firstNumber = firstNumber
    self.revisionsMax = UInt64(revisionsMax)
  }

  /// Adds a record and returns its number.
  mutating func append(_ takeOut: TakeOut) -> Int {
    takeOuts.append(takeOut)
    return firstNumber + takeOuts.count - 1
  }

  /// Forgets records older than the window, now that the table is at `revision`.
  ///
  /// - Complexity: O(1), amortized.
  @inline(__always) mutating func trim(at revision: Revision) {
    let isFull = takeOuts.count - head + charged > takeOutsMax
    if isFull || revision.rawValue - oldestBase.rawValue > revisionsMax { forget(at: revision) }
  }

  @inline(never) private mutating func forget(at revision: Revision) {
    if revision.rawValue - oldestBase.rawValue > revisionsMax {
      oldestBase = Revision(rawValue: revision.rawValue - revisionsMax)
    }
    if takeOuts.count - head + charged > takeOutsMax {
      if !hasCharges {
        oldestBase = max(oldestBase, takeOuts[takeOuts.count - takeOutsMax].revision)
      } else {
        oldestBase = max(oldestBase, oldestBaseWithin(takeOutsMax / 2))
      }
    }
    while head < takeOuts.count, takeOuts[head].revision <= oldestBase { head += 1 }
    let base = oldestBase
    forgetCharges { $0 <= base }
    if head > 64, head * 2 > takeOuts.count {
      takeOuts.removeFirst(head)
      firstNumber += head
      head = 0
    }
  }

  /// Returns the lowest base since which there are at most so many records, charges included.
  private func oldestBaseWithin(_ countMax: Int) -> Revision {
    var (index, charge, count) = (takeOuts.count, charges.count, 0)
    var base = Revision(rawValue: .max)
    while index > head || charge > 0 {
      let last = max(
        index > head ? takeOuts[index - 1].revision : .zero, charge > 0 ? charges[charge - 1].revision : .zero)
      while index > head, takeOuts[index - 1].revision == last { (index, count) = (index - 1, count + 1) }
      while charge > 0, charges[charge - 1].revision == last {
        charge -= 1
        count += charges[charge].count
      }
      base = last
      if count > countMax { break }
    }
    return base
  }

  // MARK: Charges

  /// Counts the diff of `revision` as having so many more records than it has.
  mutating func charge(_ count: Int, at revision: Revision) {
    hasCharges = true
    guard count != 0 else { return }
    charges.append((revision, count))
    charged += count
  }

  private mutating func forgetCharges(where isForgotten: (Revision) -> Bool) {
    guard !charges.isEmpty else { return }
    charges.removeAll { isForgotten($0.revision) }
    charged = charges.reduce(0) { $0 + $1.count }
  }

  /// Returns the number of records that the diffs after `base` count.
  func chargedCount(since base: Revision) -> Int {
    charges.reduce(takeOuts(since: base).count) { $0 + ($1.revision > base ? $1.count : 0) }
  }

  /// Forgets records newer than `revision`, which were rolled back.
  mutating func rollBack(to revision: Revision) {
    forgetCharges { $0 > revision }
    while takeOuts.count > head, let last = takeOuts.last, last.revision > revision { takeOuts.removeLast() }
    // The rolled-back records may have pushed the window past `revision`; the records pushed out stay lost.
    oldestBase = min(oldestBase, revision)
  }

  // MARK: Memory

  /// The memory of the records, in bytes.
  var memoryBytes: Int { takeOuts.capacity * MemoryLayout<TakeOut>.stride }

  /// Forgets the records up to a revision.
  mutating func forget(before oldest: Revision) {
    guard oldest > oldestBase else { return }
    oldestBase = oldest
    while head < takeOuts.count, takeOuts[head].revision <= oldestBase { head += 1 }
    forgetCharges { $0 <= oldest }
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
  subscript(number: Int) -> TakeOut? { index(of: number).map { takeOuts[$0] } }

  @inline(__always) private func index(of number: Int) -> Int? {
    let index = number - firstNumber
    return index >= head && index < takeOuts.count ? index : nil
  }

  /// Returns the records of the diffs after `base`, oldest first.
  ///
  /// - Complexity: O(log n).
  func takeOuts(since base: Revision) -> ArraySlice<TakeOut> { takeOuts[index(after: base)...] }

  private func index(after base: Revision) -> Int { takeOuts[head...].partitionIndex { $0.revision > base } }

  /// Returns an item's first record since `base` whose collection passes `isVisible`.
  ///
  /// - Parameters:
  ///   - latest: The number of the item's latest record; `nil` to search all records for an item that left the table.
  ///   - previous: Only records with a higher number count.
  /// - Complexity: O(number of the item's records since), or of all records if `latest` is `nil`.
  func firstTakeOut(
    of item: ItemID, latest: Int?, after previous: Int, since base: Revision, where isVisible: (Int32) -> Bool
  ) -> (number: Int, takeOut: TakeOut)? {
    guard let latest else {
      let start = max(index(after: base), previous + 1 - firstNumber)
      let found = takeOuts[start...].firstIndex { $0.item == item && isVisible($0.collection) }
      return found.map { (firstNumber + $0, takeOuts[$0]) }
    }
    var (first, number) = (Self.none, latest)
    while number > previous, let index = index(of: number), takeOuts[index].revision > base {
      if isVisible(takeOuts[index].collection) { first = index }
      number = takeOuts[index].previous
    }
    return first < 0 ? nil : (firstNumber + first, takeOuts[first])
  }

  /// Returns whether an item that was taken out since `base` was in `collection` at the base.
  ///
  /// - Complexity: O(number of the item's records since).
  func wasThere(_ collection: Int, latest: Int, since base: Revision) -> Bool {
    var number = latest
    while let index = index(of: number), takeOuts[index].revision > base {
      if takeOuts[index].placed <= base { return Int(takeOuts[index].collection) == collection }
      number = takeOuts[index].previous
    }
    return false
  }

  /// Returns the last revision since `base` at which `author` put an item where the operation requested.
  ///
  /// - Parameter latest: As in ``firstTakeOut(of:latest:after:since:where:)``.
  func lastMove(of item: ItemID, by author: SessionID, latest: Int?, since base: Revision) -> Revision? {
    guard let latest else {
      return takeOuts(since: base).last {
        $0.item == item && $0.author == author && $0.isAsRequested
      }?.revision
    }
    var number = latest
    while let index = index(of: number), takeOuts[index].revision > base {
      if takeOuts[index].author == author, takeOuts[index].isAsRequested { return takeOuts[index].revision }
      number = takeOuts[index].previous
    }
    return nil
  }

  /// Returns the numbers of the latest records of items that return to the table.
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
