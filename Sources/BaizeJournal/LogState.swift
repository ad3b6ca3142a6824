/// Where the log stands: the row `log_state`, and what came since it was written.
struct LogState: Equatable {
  /// The last row of the log that `heads` knows of.
  var indexed: Int64 = 0
  /// The last table that `heads` knows of: this one and those before it have a row there.
  var tables: Int64 = 0
  /// How many rows the log has.
  var rows: Int64 = 0
  /// How many of them belong to no snapshot any more.
  var dead: Int64 = 0

  /// The last row of the log, and the last table.
  var last: Int64 = 0
  var lastTable: Int64 = 0

  var checksum: Int64 { Checksum.of([], indexed, tables, rows, dead) }
}
