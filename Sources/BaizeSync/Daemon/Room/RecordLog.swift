import BaizeTable
import BaizeWire

/// The last records of a table, in memory. A client that missed diffs, or that was loading a snapshot, catches up from
/// them.
///
/// One array of bytes holds all records in order. The last one is the present turn's, which is open until the turn ends:
///
/// ```
/// | forgotten | turn | turn | … | open |
/// ↑ start     ↑ begin           ↑      ↑ end
/// ```
struct RecordLog: Sendable {
  /// The offset of a byte in everything that was ever recorded. It stays the same when older bytes are dropped.
  typealias Position = Int

  private struct Turn: Sendable {
    /// The table's revision after it.
    var revision: Revision
    var end: Position
  }

  /// The records, and room behind them, so that a short entry is stored without a call.
  private var bytes: [UInt8] = []
  /// The number of `bytes` that are records.
  private var used = 0
  /// The position of the first of `bytes`.
  private var start: Position = 0
  private var turns: [Turn] = []
  /// The index of the oldest turn that is kept.
  private var head = 0
  private var openStart: Position = 0
  /// The position at which the oldest record begins.
  private(set) var begin: Position = 0
  /// The revision before the oldest record.
  private(set) var oldest: Revision
  /// Whether records were dropped. The answers that followed the diff of ``oldest`` are then gone, too.
  private var hasDropped = false

  /// - Parameter position: The position of the first record.
  init(at revision: Revision, from position: Position = 0) {
    oldest = revision
    (start, begin, openStart) = (position, position, position)
  }

  /// Returns whether a client at `revision` can catch up: the diffs since then are here, and so are all answers behind
  /// its own.
  func reaches(_ revision: Revision) -> Bool { revision > oldest || (revision == oldest && !hasDropped) }

  /// The position at which the next entry will begin.
  var end: Position { start + used }

  // MARK: The present turn

  /// Whether the present turn has recorded nothing.
  var isOpenEmpty: Bool { openStart == end }

  /// The present turn's record so far.
  var open: ArraySlice<UInt8> { records(from: openStart) }

  /// Appends an entry of ``JournalEntry``, encoded with its length, to the present turn's record.
  mutating func append(_ entry: UnsafeRawBufferPointer) {
    reserve(entry.count)
    bytes.withUnsafeMutableBytes { UnsafeMutableRawBufferPointer(rebasing: $0[used...]).copyMemory(from: entry) }
    used += entry.count
  }

  /// Appends the entry of a diff that only moves one item. The entry has the same bytes as the diff's frame.
  ///
  /// - Returns: The entry's size in bytes.
  @inline(__always) mutating func append(_ move: SingleMoveDiff) -> Int {
    reserve(SingleMoveDiff.frameBytesMax)
    let count = bytes.withUnsafeMutableBytes {
      move.storeFrame(in: UnsafeMutableRawBufferPointer(rebasing: $0[used...]))
    }
    used += count
    return count
  }

  @inline(__always) private mutating func reserve(_ more: Int) {
    if bytes.count - used < more { grow(by: more) }
  }

  private static let fewBytes = 1 << 10

  @inline(never) private mutating func grow(by more: Int) {
    // By half while there are few records, as at most tables.
    let room = max(more, bytes.count < Self.fewBytes ? bytes.count / 2 : bytes.count)
    bytes.reserveCapacity(bytes.count + room)
    bytes.append(contentsOf: repeatElement(0, count: room))
  }

  /// Ends the present turn, which led to `revision`, and drops the records beyond the bounds.
  ///
  /// - Complexity: O(1), amortised.
  mutating func closeTurn(at revision: Revision, revisionsMax: Int, bytesMax: Int) {
    openStart = end
    turns.append(Turn(revision: revision, end: end))
    while head < turns.count,
      end - begin > bytesMax || revision.rawValue - oldest.rawValue > UInt64(revisionsMax)
    {
      oldest = turns[head].revision
      begin = turns[head].end
      head += 1
      hasDropped = true
    }
    if begin - start > used / 2, used > 4096 { compact() }
  }

  private mutating func compact() {
    let kept = (begin - start)..<used
    bytes.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[kept])) }
    used = kept.count
    start = begin
    turns.removeFirst(head)
    head = 0
  }

  // MARK: Memory

  /// The memory of the records, in bytes.
  var memoryBytes: Int { bytes.capacity + turns.capacity * MemoryLayout<Turn>.stride }

  /// Drops all records of ended turns, while memory is short.
  mutating func forgetAll() {
    guard let last = turns.last, head < turns.count else { return }
    oldest = last.revision
    begin = last.end
    head = turns.count
    hasDropped = true
    shrink()
  }

  /// Returns memory that was needed for more records.
  mutating func shrink() {
    if begin > start { compact() }
    if bytes.capacity > used * 5 / 4 + 1024 { bytes = Array(bytes[..<used]) }
    if turns.capacity > turns.count * 5 / 4 + 16 { turns = turns.map(\.self) }
  }

  // MARK: Reading

  /// Returns the position of the first record with changes after `revision`, which the log reaches.
  ///
  /// - Complexity: O(log n).
  func position(of revision: Revision) -> Position {
    var low = head
    var high = turns.count
    while low < high {
      let middle = (low + high) / 2
      if turns[middle].revision >= revision { high = middle } else { low = middle + 1 }
    }
    return low == head ? begin : turns[low - 1].end
  }

  /// Lends the bytes of all records from a kept position on.
  func withRecords(from position: Position, _ body: (UnsafeRawBufferPointer) -> Void) {
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[(position - start)..<used])) }
  }

  /// Returns the bytes of all records from a kept position on, including the open one.
  func records(from position: Position) -> ArraySlice<UInt8> { bytes[(position - start)..<used] }
}
