/// The behavior of a hostile connection.
enum HostileBehavior: String, CaseIterable {
  // MARK: At a table

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
  /// Sends hellos again and again.
  case repeatedHello = "many hellos"

  // MARK: Before a welcome

  /// Sends one invalid hello.
  case invalidHello = "wrong hello"
  /// Sends anything but a hello first.
  case invalidFirstFrame = "wrong first frame"
  /// Sends bytes that are no frames, and no request.
  case invalidBytes = "invalid bytes"
  /// Sends half of a frame and closes.
  case partialFrame = "half a frame"
  /// Announces a frame that is too long.
  case oversizedFrame = "huge frame"
  /// Connects and sends nothing.
  case silent = "never says hello"
  /// Connects and closes.
  case immediateClose = "closes at once"

  // MARK: Over HTTP

  /// Sends requests that are changed at a few places.
  case brokenRequest = "broken requests"
  /// Sends headers and lines that are too long or too many.
  case headerFlood = "header floods"
  /// Sends a request in single bytes, and never its end.
  case slowSender = "slow requests"
  /// Sends half a request and closes.
  case partialRequest = "half a request"
  /// Sends many requests at once.
  case pipeliner = "pipelined requests"
  /// The same, and reads nothing.
  case unreadPipeliner = "pipelined requests, unread"
  /// Asks for a WebSocket in a wrong way.
  case brokenUpgrade = "broken upgrades"
  /// Sends frames that break RFC 6455, or change at a few places.
  case brokenFrames = "broken frames"
  /// Sends control frames and empty fragments.
  case frameFlood = "floods of control frames"

  /// The number of such connections in a hundred.
  ///
  /// - Parameter usesHTTP: Whether they go to the address for browsers.
  func share(overHTTP usesHTTP: Bool) -> Int {
    switch self {
    case .player: usesHTTP ? 12 : 34
    case .intruder: usesHTTP ? 2 : 8
    case .thief: usesHTTP ? 2 : 4
    case .snapshotRequester: usesHTTP ? 1 : 4
    case .dragger: usesHTTP ? 2 : 6
    case .nonReader: usesHTTP ? 1 : 3
    case .repeatedHello: usesHTTP ? 1 : 3
    case .invalidHello: usesHTTP ? 1 : 10
    case .invalidFirstFrame: usesHTTP ? 1 : 6
    case .invalidBytes: usesHTTP ? 6 : 7
    case .partialFrame: usesHTTP ? 0 : 4
    case .oversizedFrame: usesHTTP ? 0 : 3
    case .silent: usesHTTP ? 0 : 1
    case .immediateClose: usesHTTP ? 0 : 7
    case .brokenRequest: usesHTTP ? 20 : 0
    case .headerFlood: usesHTTP ? 6 : 0
    case .slowSender: usesHTTP ? 2 : 0
    case .partialRequest: usesHTTP ? 4 : 0
    case .pipeliner: usesHTTP ? 10 : 0
    case .unreadPipeliner: usesHTTP ? 2 : 0
    case .brokenUpgrade: usesHTTP ? 9 : 0
    case .brokenFrames: usesHTTP ? 13 : 0
    case .frameFlood: usesHTTP ? 5 : 0
    }
  }

  /// Whether it sends a valid hello.
  var joins: Bool {
    [.player, .intruder, .thief, .snapshotRequester, .dragger, .nonReader, .repeatedHello].contains(self)
  }

  /// Whether it sends many inputs. The others send a few at most, since the daemon ends the connection.
  var isLong: Bool { joins || [.pipeliner, .unreadPipeliner, .frameFlood].contains(self) }

  /// Whether its connection becomes a WebSocket, at the address for browsers.
  var upgrades: Bool {
    joins || [.invalidHello, .invalidFirstFrame, .brokenFrames, .frameFlood].contains(self)
  }

  /// Whether it waits for the daemon to end the connection, once it has sent everything.
  var waits: Bool { [.invalidHello, .invalidBytes, .oversizedFrame, .silent].contains(self) }
}
