import BaizeSimulator
import BaizeTable
import BaizeTransport
import BaizeWorkload

/// One hostile connection.
struct StormConnection {
  let key: ConnectionKey
  let behavior: HostileBehavior
  /// The index of the storm's table.
  let table: Int
  /// The number of frames left to send.
  var framesLeft: Int
  /// The token of its session.
  var token: [UInt8] = []
  var isConnected = false
  var isAtTable = false
  /// Whether a goodbye was sent or received.
  var isDismissed = false
  var session = SessionID.daemon
  var knowledge = HostileKnowledge()
  /// The number of items on the table at its snapshot.
  var itemCount = 0

  init(key: ConnectionKey, behavior: HostileBehavior, table: Int, frames: Int) {
    self.key = key
    self.behavior = behavior
    self.table = table
    framesLeft = frames
  }
}

/// A table that hostile connections join.
struct StormTable {
  let name: String
  let type: String
  let isHonest: Bool
  /// Of sessions that have lost their connection.
  var tokens: [[UInt8]] = []
  /// Sessions are numbered from 1.
  var lastSession = SessionID.daemon

  /// The maximum number of sessions at a table; further connections resume one. The daemon's own limit is
  /// `sessionsPerTableMax`, which a storm would take too long to reach.
  static let sessionsMax = 16
}
