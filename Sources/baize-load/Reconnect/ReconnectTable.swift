/// One table of a run with clients that come back, and the books on it.
struct ReconnectTable {
  let name: String
  let tableType: String
  var operations = OperationLedger()
  var history = HistoryLedger()
}
