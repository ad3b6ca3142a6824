/// The behavior of a hostile connection.
enum HostileBehavior: String {
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

  /// The behaviors of connections to the daemon's own address, and the number of each in a hundred.
  static let overStream: [(element: Self, weight: Int)] = [
    (.player, 34), (.intruder, 8), (.thief, 4), (.snapshotRequester, 4), (.dragger, 6), (.nonReader, 3),
    (.repeatedHello, 3), (.invalidHello, 10), (.invalidFirstFrame, 6), (.invalidBytes, 7), (.partialFrame, 4),
    (.oversizedFrame, 3), (.silent, 1), (.immediateClose, 7),
  ]
  /// The behaviors of connections to the address for browsers, and the number of each in a hundred.
  static let overHTTP: [(element: Self, weight: Int)] = [
    (.player, 12), (.intruder, 2), (.thief, 2), (.snapshotRequester, 1), (.dragger, 2), (.nonReader, 1),
    (.repeatedHello, 1), (.invalidHello, 1), (.invalidFirstFrame, 1), (.invalidBytes, 6), (.brokenRequest, 20),
    (.headerFlood, 6), (.slowSender, 2), (.partialRequest, 4), (.pipeliner, 10), (.unreadPipeliner, 2),
    (.brokenUpgrade, 9), (.brokenFrames, 13), (.frameFlood, 5),
  ]

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
