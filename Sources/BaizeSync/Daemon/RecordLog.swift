import BaizeTable

/// The table's last records, in memory: what brings a client level that missed some diffs, or that was loading while they
/// were made.
///
/// All of it lies in one array of bytes, in order, so that to keep a turn costs one copy of its record.
struct RecordLog: Sendable {
  /// Where a record of the log begins. It never changes, however much was forgotten.
  typealias Position = Int

  private struct Turn: Sendable {
    /// Where the table stood after it.
    var revision: Revision
    var end: Position
  }

  private var bytes: [UInt8] = []
  /// The position of the first of `bytes`.
  private var start: Position = 0
  private var turns: [Turn] = []
  /// The first of the turns that is not forgotten.
  private var head = 0
  /// The revision that the oldest record begins at: whoever holds this one or a later one can be brought level.
  private(set) var oldest: Revision

  init(at revision: Revision) { oldest = revision }

  /// Where the next record will begin.
  var end: Position { start + bytes.count }
  /// Where the oldest record begins.
  private(set) var begin: Position = 0

  /// Keeps the record of a turn that led to `revision`, and forgets what is beyond the bounds.
  ///
  /// - Complexity: O(bytes of the record), amortized.
  mutating func append(_ record: [UInt8], at revision: Revision, revisionsMax: Int, bytesMax: Int) {
    bytes.append(contentsOf: record)
    turns.append(Turn(revision: revision, end: end))
    while head < turns.count,
      end - begin > bytesMax || revision.rawValue - oldest.rawValue > UInt64(revisionsMax)
    {
      oldest = turns[head].revision
      begin = turns[head].end
      head += 1
    }
    if begin - start > bytes.count / 2, bytes.count > 4096 { compact() }
  }

  private mutating func compact() {
    bytes.removeFirst(begin - start)
    start = begin
    turns.removeFirst(head)
    head = 0
  }

  /// The first record of which a part was made when the table stood at `revision`, which is ``oldest`` or later.
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

  /// The bytes of all records from a position on that is not forgotten.
  func records(from position: Position) -> ArraySlice<UInt8> { bytes[(position - start)...] }
}
