import BaizeSync
import BaizeTable
import BaizeWire
import BaizeWorkload

/// Everything that a table's journal holds, up to a record.
struct TableHistory {
  var table: Table
  var epoch: Epoch
  /// The last record.
  var record: UInt64 = 0
  var sessions: [SessionID: StoredSession] = [:]
  /// The sessions that have ended.
  var forgotten: Set<SessionID> = []
  /// The sessions that a host has ended.
  var kicked: Set<SessionID> = []
  /// The effects of operations.
  var effects: [OperationKey: Effect] = [:]
  var outcomes: [OperationKey: Outcome] = [:]
  /// The last judged operation of each session.
  var judged: [SessionID: SequenceNumber] = [:]
  var diffs: [Diff] = []

  /// The diff of an operation.
  struct Effect {
    let epoch: Epoch
    let revision: Revision
  }

  var revision: Revision { table.state.revision }

  init(_ restored: RestoredTable) {
    // No operation is judged here, so that the random source is not used.
    table = Table(restoring: restored.state, random: RandomSource(seed: 0))
    epoch = restored.epoch
    record = restored.record
  }
}

extension [Diff] {
  /// Returns the diffs behind a revision, the last one first.
  func since(_ revision: Revision) -> some Sequence<Diff> { reversed().prefix { $0.revision > revision } }
}
