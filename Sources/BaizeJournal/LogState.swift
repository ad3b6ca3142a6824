/// Where the log stands: the row `log_state`, and what came since it was written.
struct LogState: Equatable {
  /// The last row that `heads` knows of.
  var indexed: Int64
  /// How many rows there are.
  var rows: Int64
  /// How many of them belong to no snapshot any more.
  var dead: Int64
  /// The last row.
  var last: Int64
}
