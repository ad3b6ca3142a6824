import BaizeTable
import BaizeWire

/// A producer of a table's snapshot for the journal, part by part. The snapshot has the state after a record, while the
/// table continues.
final class StoredSnapshotProducer {
  private let record: UInt64
  private let revision: Revision
  private let state: SnapshotProducer
  /// The sessions by slot, including free slots.
  private let sessions: [Session]
  private let bytesMax: Int
  private let header: StoredSnapshotPart
  private var slot = 0
  private var number = 0
  /// The size of the parts so far.
  private(set) var bytesProduced = 0

  /// Creates a producer for the present state.
  ///
  /// - Parameter record: The number of the last record that `table` has written.
  init(of table: inout TableMachine, record: UInt64) {
    // Hashing the table itself, not a copy, keeps the hashes that it caches.
    let viewHash = table.table.viewHash()
    self.record = record
    revision = table.table.state.revision
    state = SnapshotProducer(
      of: FrozenState(table.table.state), for: nil, epoch: table.epoch, lastSequence: .zero,
      limits: table.room.sharedLimits)
    sessions = table.sessions.snapshot
    bytesMax = table.limits.tables.snapshotPartBytesMax
    header = StoredSnapshotPart(
      state: SnapshotPart(epoch: table.epoch, revision: revision), nextID: table.table.state.nextID,
      lastSession: table.sessions.lastID, viewHash: viewHash, invites: table.invites,
      privateIDs: table.table.privateIDs.key == (0, 0) ? nil : table.table.privateIDs, migration: table.migration,
      handlesEnd: table.table.state.openedHandlesEnd, charges: table.charges.stored)
  }

  /// The approximate memory of what the snapshot's state does not share with the present one, in bytes.
  func pinnedBytes(besides present: TableState) -> Int {
    state.frozen?.pinnedBytes(until: present.changedBytes) ?? 0
  }

  /// Returns the next part. It must not be called after the last one.
  func next(of table: String) -> JournalSnapshotPart {
    var part =
      number == 0 ? header : StoredSnapshotPart(state: SnapshotPart(epoch: header.state.epoch, revision: revision))
    if !state.isComplete { part.state = state.next() }
    // A session is never divided.
    var measure = ByteWriter(capacity: 4096)
    while slot < sessions.count, measure.count < bytesMax {
      let session = sessions[slot]
      slot += 1
      guard !session.isForgotten else { continue }
      part.sessions.append(
        StoredSnapshotPart.SessionState(
          session: session.stored, outcomes: session.answers.outcomes))
      part.sessions[part.sessions.count - 1].encode(into: &measure)
    }
    let encoded = part.encoded
    bytesProduced += encoded.count
    defer { number += 1 }
    return JournalSnapshotPart(
      table: table, record: record, revision: revision, number: number,
      isLast: state.isComplete && slot == sessions.count, bytes: encoded[...])
  }
}
