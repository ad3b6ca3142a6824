import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import BaizeWorkload

/// A member of a table, as every frame needs it: a value that is copied once for all frames of a read.
struct DriverMember: BitwiseCopyable {
  /// Its connection; `nil` while it has none.
  var key: ConnectionKey?
  let table: Int32
  let isPlayer: Bool
  /// Whether it applies diffs to its table's copy.
  var keepsCopy = false
  /// Whether it has reached the revision that it joins at.
  var isLive = false
  var session: UInt64 = 0
  /// The last revision that was received.
  var revision: UInt64 = 0
  /// The number of the last operation that was sent.
  var sequence: UInt64 = 0
  /// The number of operations in flight.
  var pending: Int32 = 0
  /// The first operation that was not judged, until all later ones are answered, too; 0 for none.
  var retryFrom: UInt64 = 0

  /// The same; a daemon may answer more often than it is asked.
  var pendingCount: UInt64 { UInt64(max(0, pending)) }

  init(table: Int, isPlayer: Bool) { (self.table, self.isPlayer) = (Int32(table), isPlayer) }
}

/// The rest of a member.
struct DriverSeat {
  /// The session data of the last welcome; empty before the first.
  var ticket: [UInt8] = []
  /// The number of its last hello.
  var attempts: UInt64 = 0
  var epoch = Epoch(rawValue: 0)
  /// The revision that it joins at.
  var target = Revision.zero
  var snapshot = SnapshotReader()
  /// Whether the last ping is answered, and the hash that the daemon sent with it.
  var isAnswered = false
  var daemonHash: UInt64?
  /// Whether its copy is there to be compared, and the hash of it unless the copy is wrong.
  var isCompared = false
  var ownHash: UInt64?
  /// The items of its last moves, which the table's copy may not have yet.
  private(set) var moved: [ItemID] = []
  /// One of its own diffs.
  var sample: [UInt8] = []
  /// The time at which it began to connect, in monotonic nanoseconds.
  var connectedAt: UInt64 = 0
  /// The number of its turns by the plan that have come, and of those that it has used.
  var turnsDue: UInt64 = 0
  var turnsTaken: UInt64 = 0
  /// The revisions that were skipped, and may still come.
  var skipped: Set<UInt64> = []
  /// The last operations that were sent, by number.
  private var flights: [Flight] = []

  /// An operation that was sent.
  struct Flight: BitwiseCopyable {
    /// The times at which it was planned and sent, in monotonic nanoseconds; 0 for no operation.
    var planned: UInt64 = 0
    var sent: UInt64 = 0
    var kind = OperationKind.other
    /// Whether it is answered. Its times are kept for the others at the table, who may receive its diff later.
    var isAnswered = true
  }

  /// The maximum number of revisions that are remembered as skipped.
  static let skippedMax = 1_024

  mutating func noteSent(_ sequence: UInt64, _ kind: OperationKind, planned: UInt64, at time: UInt64) {
    if flights.isEmpty { flights = Array(repeating: Flight(), count: LoadOptions.windowMax) }
    flights[Int(sequence % UInt64(LoadOptions.windowMax))] = Flight(
      planned: planned, sent: time, kind: kind, isAnswered: false)
  }

  func flight(_ sequence: UInt64) -> Flight {
    flights.isEmpty ? Flight() : flights[Int(sequence % UInt64(LoadOptions.windowMax))]
  }

  mutating func noteAnswered(_ sequence: UInt64) {
    if !flights.isEmpty { flights[Int(sequence % UInt64(LoadOptions.windowMax))].isAnswered = true }
  }

  mutating func noteMoved(_ kind: TableOperation.Kind, window: Int) {
    guard case .reorder(let difference, _) = kind else { return }
    while moved.count >= window + 8 { moved.removeFirst() }
    moved.append(difference.sources[0])
  }
}
