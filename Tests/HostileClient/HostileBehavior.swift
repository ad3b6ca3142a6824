/// The behavior of a hostile connection.
enum HostileBehavior: String, CaseIterable {
  /// Plays at a table with operations that are almost right.
  case player
  /// Watches an honest table and tries to play there.
  case intruder
  /// Takes over a session whose owner is connected.
  case thief
  /// Asks for snapshots and hashes as fast as it can.
  case snapshotRequester = "asks for snapshots"
  /// Drags everything there is.
  case dragger
  /// Requests much and reads nothing.
  case nonReader = "reads nothing"
  /// Sends one invalid hello.
  case invalidHello = "wrong hello"
  /// Sends hellos again and again.
  case repeatedHello = "many hellos"
  /// Sends anything but a hello first.
  case invalidFirstFrame = "wrong first frame"
  /// Sends bytes that are no frames.
  case invalidBytes = "invalid bytes"
  /// Sends half of a frame and closes.
  case partialFrame = "half a frame"
  /// Announces a frame that is too long.
  case oversizedFrame = "huge frame"
  /// Connects and sends nothing.
  case silent = "never says hello"
  /// Connects and closes.
  case immediateClose = "closes at once"

  /// The number of such connections in a hundred.
  var share: Int {
    switch self {
    case .player: 34
    case .intruder: 8
    case .thief: 4
    case .snapshotRequester: 4
    case .dragger: 6
    case .nonReader: 3
    case .invalidHello: 10
    case .repeatedHello: 3
    case .invalidFirstFrame: 6
    case .invalidBytes: 7
    case .partialFrame: 4
    case .oversizedFrame: 3
    case .silent: 1
    case .immediateClose: 7
    }
  }

  /// Whether it sends a valid hello. The others send a few frames at most.
  var joins: Bool {
    [.player, .intruder, .thief, .snapshotRequester, .dragger, .nonReader, .repeatedHello].contains(self)
  }
}
