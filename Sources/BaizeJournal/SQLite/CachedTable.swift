/// The state of a recently written table, kept in memory between commits.
final class CachedTable {
  let id: Int64
  var head: Head
  /// Whether `head` has changed since it was written to `heads`.
  var isDirty = false
  /// The record of the last complete snapshot; −1 if there is none.
  var lastSnapshot: Int64 = -1
  /// The snapshot that is being written.
  var unfinished: Unfinished?
  /// The bytes of records and parts written since the table was cached.
  var writtenBytes = 0
  /// The day that the journal has as that of its last use, if that is known.
  var usedHour: Int64?
  /// The snapshots completed since then, in order.
  var snapshots: [Snapshot] = []

  /// Whether the table does not exist yet: its first snapshot is not complete.
  var isIncomplete: Bool { lastSnapshot < 0 && head.number == 0 }

  struct Snapshot {
    let record: Int64
    /// ``CachedTable/writtenBytes`` before its first part.
    let bytesBefore: Int
  }

  struct Unfinished: Equatable {
    var record: Int64
    var nextPart: Int64
    var bytesBefore = 0
  }

  init(id: Int64, head: Head) {
    self.id = id
    self.head = head
  }
}
