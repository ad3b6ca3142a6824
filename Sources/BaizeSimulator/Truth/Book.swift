import BaizeSync
import BaizeTable

/// Everything that a table's journal says, up to some record.
struct Book {
  var table: Table
  var epoch: Epoch
  /// The last record.
  var record: UInt64 = 0
  var sessions: [SessionID: StoredSession] = [:]
  /// Sessions that are no more.
  var forgotten: Set<SessionID> = []
  /// Those of them that a host has ended.
  var kicked: Set<SessionID> = []
  /// What became of operations.
  var effects: [OperationKey: Effect] = [:]
  var outcomes: [OperationKey: RecordedOutcome] = [:]
  /// The last operation of each session that was judged.
  var judged: [SessionID: SequenceNumber] = [:]
  var diffs: [Diff] = []

  /// The diff that an operation made.
  struct Effect {
    let epoch: Epoch
    let revision: Revision
  }

  var revision: Revision { table.state.revision }

  init(_ restored: RestoredTable) {
    // No operation is judged here, so that the chance is not asked.
    table = Table(restoring: restored.state, random: RandomSource(seed: 0))
    epoch = restored.epoch
    record = restored.record
  }
}

/// An operation as the journal knows it.
struct OperationKey: Hashable {
  let session: SessionID
  let sequence: SequenceNumber
}
