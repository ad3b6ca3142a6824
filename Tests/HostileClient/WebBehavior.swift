/// The behavior of a hostile connection to the address for browsers.
enum WebBehavior: String, CaseIterable {
  /// Sends requests that are changed at a few places.
  case brokenRequest = "broken requests"
  /// Sends bytes that are no request.
  case invalidBytes = "invalid bytes over HTTP"
  /// Sends headers and lines that are too long or too many.
  case headerFlood = "header floods"
  /// Sends a request in single bytes, and never its end.
  case slowSender = "slow requests"
  /// Sends half a request and closes.
  case partialRequest = "half a request"
  /// Sends many requests at once.
  case pipeliner = "pipelined requests"
  /// The same, and reads nothing.
  case nonReader = "pipelined requests, unread"
  /// Asks for a WebSocket in a wrong way.
  case brokenUpgrade = "broken upgrades"
  /// Sends frames that break RFC 6455, or change at a few places.
  case brokenFrames = "broken frames"
  /// Sends control frames and empty fragments.
  case frameFlood = "floods of control frames"
  /// Plays with operations that are almost right, in fragments.
  case player = "plays over WebSocket"

  /// The number of such connections in a hundred.
  var share: Int {
    switch self {
    case .brokenRequest: 20
    case .invalidBytes: 6
    case .headerFlood: 6
    case .slowSender: 2
    case .partialRequest: 4
    case .pipeliner: 10
    case .nonReader: 2
    case .brokenUpgrade: 10
    case .brokenFrames: 15
    case .frameFlood: 5
    case .player: 20
    }
  }

  /// Whether its connection becomes a WebSocket.
  var upgrades: Bool {
    switch self {
    case .brokenFrames, .frameFlood, .player: true
    case .brokenRequest, .invalidBytes, .headerFlood, .slowSender, .partialRequest, .pipeliner, .nonReader,
      .brokenUpgrade:
      false
    }
  }

  /// Whether it sends many inputs. The others send a few at most, since the daemon ends the connection.
  var isLong: Bool {
    switch self {
    case .pipeliner, .nonReader, .frameFlood, .player: true
    case .brokenRequest, .invalidBytes, .headerFlood, .slowSender, .partialRequest, .brokenUpgrade, .brokenFrames: false
    }
  }
}
