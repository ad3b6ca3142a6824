internal import BaizeSync

/// The row `log_state`, and the rows appended since it was written.
struct LogState: Equatable {
  /// The last log row that `heads` covers.
  var indexed: Int64 = 0
  /// The last table that `heads` covers.
  var tables: Int64 = 0
  var rows: Int64 = 0
  /// The number of rows that precede the oldest snapshot of their table.
  var dead: Int64 = 0

  var last: Int64 = 0
  var lastTable: Int64 = 0

  var checksum: Int64 { Checksum.of([], indexed, tables, rows, dead) }
}
