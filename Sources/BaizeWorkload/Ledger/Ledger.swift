package import BaizeTable

/// A record of one table, checked at the end of a run: its players' operations and their answers, and everything that the
/// daemon sent about it. It is kept independently of the machines, and trusts none of them.
package struct Ledger {
  package var operations = OperationLedger()
  package var history = HistoryLedger()

  package init() {}

  package var faults: FaultList {
    var faults = operations.faults
    faults.add(history.faults)
    return faults
  }

  /// Compares everything with the table as a new client loads it.
  package mutating func close(at revision: Revision, with items: [MarkedItem], movesPerEpoch: Int) {
    operations.compare(with: items)
    history.close(at: revision, movesPerEpoch: movesPerEpoch)
  }
}
