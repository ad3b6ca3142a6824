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
  /// The times at which the last operations were sent, by number.
  private var sent: [UInt64] = []

  /// The daemon's limit of pending operations of one session.
  static let inFlightMax = 256

  mutating func noteSent(_ sequence: UInt64, at time: UInt64) {
    if sent.isEmpty { sent = Array(repeating: 0, count: Self.inFlightMax) }
    sent[Int(sequence % UInt64(Self.inFlightMax))] = time
  }

  func timeSent(_ sequence: UInt64) -> UInt64 {
    sent.isEmpty ? 0 : sent[Int(sequence % UInt64(Self.inFlightMax))]
  }

  mutating func noteMoved(_ kind: TableOperation.Kind, window: Int) {
    guard case .reorder(let difference, _) = kind else { return }
    if moved.count >= window + 8 { moved.removeFirst() }
    moved.append(difference.sources[0])
  }
}
