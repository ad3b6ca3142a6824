internal import BaizeSync

/// The end of a table's chain of records.
struct Head: Equatable {
  /// The log row of the last record; 0 if there is none.
  var row: Int64 = 0
  /// The last record's number.
  var number: Int64 = 0
  /// Records up to this one precede the oldest snapshot kept.
  var floor: Int64 = 0

  func checksum(of table: Int64) -> Int64 { Checksum.of([], table, row, number, floor) }
}
