/// The end of a table's chain of records.
struct Head: Equatable {
  /// The log's row with the last record; 0 if there is none.
  var row: Int64 = 0
  /// The last record's number.
  var number: Int64 = 0
  /// Records up to this one belong to no snapshot any more.
  var floor: Int64 = 0

  func checksum(of table: Int64) -> Int64 { Checksum.of([], table, row, number, floor) }
}

/// What a journal remembers of a table so that it can go on writing.
final class KnownTable {
  let id: Int64
  var head: Head
  /// Whether `heads` says otherwise yet.
  var isDirty = false
  /// The record of the last whole snapshot; −1 if there is none.
  var whole: Int64 = -1
  /// The snapshot that is being written, and its next part.
  var unfinished: Unfinished?

  struct Unfinished: Equatable {
    var record: Int64
    var nextPart: Int64
  }

  init(id: Int64, head: Head) {
    self.id = id
    self.head = head
  }
}
