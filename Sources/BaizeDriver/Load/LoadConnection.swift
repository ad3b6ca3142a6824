package import BaizeSync
package import BaizeTable
package import BaizeTransport
package import BaizeWire
package import BaizeWorkload

/// One connection under load: its phase, its pending operations, and the revision it has seen.
package struct LoadConnection {
  package let table: Int
  package let isPlayer: Bool
  package var key: ConnectionKey
  package var phase = Phase.connecting
  package var session: UInt64 = 0
  package var epoch = Epoch(rawValue: 0)
  /// The last revision that was received.
  package var revision: UInt64 = 0
  /// The number of the operation that is sent next.
  package var nextSequence: UInt64 = 1
  package var inFlight = 0
  /// The first operation that was not judged; set until all later ones are answered, too.
  package var retryFrom: UInt64?
  /// The items of its last moves, which the table's replica may not have yet.
  package var moved: [ItemID] = []
  /// The times at which the last operations were sent, by number.
  package var sent: [UInt64] = []
  /// A snapshot that is loading: always for the owner of the table's replica, for the others after the run.
  package var snapshot = SnapshotReader()
  /// The daemon's hash of its view after the run, and its own.
  package var daemonHash: UInt64?
  package var ownHash: UInt64?

  package enum Phase {
    case connecting
    case greeting
    case loading
    case live
    case closed
  }

  package static let sentMax = 1_024

  package mutating func noteSent(_ sequence: UInt64, at time: UInt64) {
    if sent.isEmpty { sent = Array(repeating: 0, count: Self.sentMax) }
    sent[Int(sequence % UInt64(Self.sentMax))] = time
  }

  package mutating func noteMoved(_ kind: TableOperation.Kind, window: Int) {
    guard case .reorder(let difference, _) = kind else { return }
    if moved.count >= window + 8 { moved.removeFirst() }
    moved.append(difference.sources[0])
  }

  package func timeSent(_ sequence: UInt64) -> UInt64 {
    sent.isEmpty ? 0 : sent[Int(sequence % UInt64(Self.sentMax))]
  }
}
