import BaizeSync
import BaizeWire

/// A connection and what is on its way, in order, in both directions.
struct Link {
  let id: ConnectionID
  /// Of the daemon's process that the connection was made to.
  let start: Int
  var up: [ClientMessage] = []
  var down: [Arrival] = []

  enum Arrival {
    case message(ServerMessage)
    /// The other side is gone.
    case end
  }

  /// How many bytes the daemon takes to be unread. A hundred for every message: what matters is that it rises and falls.
  var backlogBytes: Int { down.count * Self.messageBytes }
  static let messageBytes = 100
  /// How many bytes the client has read since the daemon was told last.
  var takenBytes = 0
}
