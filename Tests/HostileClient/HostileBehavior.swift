/// The behavior of a hostile connection.
enum HostileBehavior: String, CaseIterable {
  /// Plays at a table with operations that are almost right.
  case player
  /// Watches an honest table and tries to play there.
  case intruder
  /// Takes over a session whose owner is connected.
  case thief
  /// Asks for snapshots and hashes as fast as it can.
  case glutton = "asks for snapshots"
  /// Drags everything there is.
  case dragger
  /// Requests much and reads nothing.
  case deaf = "reads nothing"
  /// Sends one invalid hello.
  case stranger = "wrong hello"
  /// Sends hellos again and again.
  case babbler = "many hellos"
  /// Sends anything but a hello first.
  case rude = "wrong first frame"
  /// Sends bytes that are no frames.
  case noise
  /// Sends half of a frame and closes.
  case half = "half a frame"
  /// Announces a frame that is too long.
  case giant = "huge frame"
  /// Connects and sends nothing.
  case mute = "never says hello"
  /// Connects and closes.
  case slam = "closes at once"

  /// The number of such connections in a hundred.
  var share: Int {
    switch self {
    case .player: 34
    case .intruder: 8
    case .thief: 4
    case .glutton: 4
    case .dragger: 6
    case .deaf: 3
    case .stranger: 10
    case .babbler: 3
    case .rude: 6
    case .noise: 7
    case .half: 4
    case .giant: 3
    case .mute: 1
    case .slam: 7
    }
  }

  /// Whether it sends a valid hello.
  var joins: Bool {
    switch self {
    case .player, .intruder, .thief, .glutton, .dragger, .deaf, .babbler: true
    case .stranger, .rude, .noise, .half, .giant, .mute, .slam: false
    }
  }
}
