import BaizeTable

/// Everything that must be true of one table at the end of a run: what its players asked for and were answered, and what the
/// daemon sent about it. It is kept beside the machines, and believes none of them.
struct Ledger {
  var operations = OperationLedger()
  var history = HistoryLedger()

  var faults: FaultList {
    var faults = operations.faults
    faults.add(history.faults)
    return faults
  }

  /// Compares everything with the table as a newcomer finds it.
  mutating func close(at revision: Revision, with items: [MarkedItem]) {
    operations.compare(with: items)
    history.close(at: revision)
  }
}
