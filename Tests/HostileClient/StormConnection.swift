import BaizeSimulator
import BaizeTable
import BaizeTransport

/// One hostile connection, and what it knows of the table that it is at.
struct StormConnection {
  let key: ConnectionKey
  let behavior: HostileBehavior
  /// Which of the storm's tables.
  let table: Int
  /// How many frames it has still to send.
  var framesLeft: Int
  /// What it came with, if it came back.
  var token: [UInt8] = []
  var isConnected = false
  var isAtTable = false
  /// The daemon said goodbye.
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
    knowledge.operationsPerMistake = 100
  }
}

/// A table that hostile connections come to.
struct StormTable {
  let name: String
  let type: String
  let isHonest: Bool
  /// Of sessions that have lost their connection.
  var tokens: [[UInt8]] = []
  /// Sessions are numbered from 1.
  var lastSession = SessionID.daemon

  /// More sessions than this at a table are not made: whoever comes then comes back. What a daemon remembers of sessions is
  /// bounded by `sessionsPerTableMax`, and a storm that ran into that bound would have to be as long.
  static let sessionsMax = 16
}
