import BaizeTable
import BaizeTransport
import BaizeWorkload

/// One hostile connection.
struct StormConnection {
  let key: ConnectionKey
  let behavior: HostileBehavior
  /// The index of the storm's table.
  let table: Int
  /// The number of inputs left to send.
  var inputsLeft: Int
  /// The credential that it presented last.
  var credential: [UInt8] = []
  /// Whether it is connected, and a WebSocket if it is to become one.
  var isReady = false
  var isAtTable = false
  /// Whether something was sent that comes first.
  var hasBegun = false
  /// Whether a goodbye was sent or received, or the connection is being closed.
  var isDismissed = false
  var session = SessionID.daemon
  var knowledge = HostileKnowledge()
  /// The number of items on the table at its snapshot.
  var itemCount = 0
  /// The number of single bytes that were sent.
  var dripped = 0
}

/// A table that hostile connections join.
struct StormTable {
  let name: String
  let type: String
  let isHonest: Bool
  /// Of sessions that have lost their connection.
  var credentials: [[UInt8]] = []
  /// Sessions are numbered from 1.
  var lastSession = SessionID.daemon

  /// The maximum number of sessions at a table; further connections resume one. The daemon's own limit is
  /// `sessionsPerTableMax`, which a storm would take too long to reach.
  static let sessionsMax = 16
}
