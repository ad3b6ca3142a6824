/// The behavior of a hostile connection.
enum HostileBehavior: String, CaseIterable {
  /// Sits at a table and says nonsense that is almost right.
  case player
  /// Watches an honest table and wants to play there.
  case intruder
  /// Takes over a session whose owner is there.
  case thief
  /// Asks for snapshots and hashes as fast as it can.
  case glutton = "asks for snapshots"
  /// Drags everything there is.
  case dragger
  /// Asks for much and reads nothing.
  case deaf = "reads nothing"
  /// Says hello once with something wrong in it.
  case stranger = "wrong hello"
  /// Says hello again and again.
  case babbler = "many hellos"
  /// Says anything but hello first.
  case rude = "wrong first frame"
  /// Sends bytes that are no frames.
  case noise
  /// Sends half of a frame and goes.
  case half = "half a frame"
  /// Announces more than anyone may send.
  case giant = "huge frame"
  /// Connects and says nothing.
  case mute = "never says hello"
  /// Connects and goes.
  case slam = "goes at once"

  /// How many of a hundred connections are so.
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

  /// Whether it says hello, in order to be at a table.
  var joins: Bool {
    switch self {
    case .player, .intruder, .thief, .glutton, .dragger, .deaf, .babbler: true
    case .stranger, .rude, .noise, .half, .giant, .mute, .slam: false
    }
  }
}
