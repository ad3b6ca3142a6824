import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// One connection under load: its phase, its pending operations, and the revision it has seen.
struct LoadConnection {
  let table: Int
  let isPlayer: Bool
  var key: ConnectionKey
  var phase = Phase.connecting
  var session: UInt64 = 0
  var epoch = Epoch(rawValue: 0)
  /// The last revision that was received.
  var revision: UInt64 = 0
  /// The number of the operation that is sent next.
  var nextSequence: UInt64 = 1
  var inFlight = 0
  /// The first operation that was not judged; set until all later ones are answered, too.
  var retryFrom: UInt64?
  /// The items of its last moves, which the table's replica may not have yet.
  var moved: [ItemID] = []
  /// The times at which the last operations were sent, by number.
  var sent: [UInt64] = []
  /// A snapshot that is loading: always for the owner of the table's replica, for the others after the run.
  var snapshot = SnapshotReader()
  /// The daemon's hash of its view after the run, and its own.
  var daemonHash: UInt64?
  var ownHash: UInt64?

  enum Phase {
    case connecting
    case greeting
    case loading
    case live
    case closed
  }

  static let sentMax = 1_024

  mutating func noteSent(_ sequence: UInt64, at time: UInt64) {
    if sent.isEmpty { sent = Array(repeating: 0, count: Self.sentMax) }
    sent[Int(sequence % UInt64(Self.sentMax))] = time
  }

  mutating func noteMoved(_ kind: TableOperation.Kind, window: Int) {
    guard case .reorder(let difference, _) = kind else { return }
    if moved.count >= window + 8 { moved.removeFirst() }
    moved.append(difference.sources[0])
  }

  func timeSent(_ sequence: UInt64) -> UInt64 {
    sent.isEmpty ? 0 : sent[Int(sequence % UInt64(Self.sentMax))]
  }
}
