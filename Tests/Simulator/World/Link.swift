import BaizeSync
import BaizeWire

/// A connection and its messages in flight, in order, in both directions.
struct Link {
  let id: ConnectionID
  /// The number of the daemon's process that it was made to.
  let start: Int
  var up: [ClientMessage] = []
  var down: [Arrival] = []

  enum Arrival {
    case message(ServerMessage)
    /// The daemon closed the connection.
    case end
  }

  /// The unread bytes, counted as a hundred for each message: it matters only that it rises and falls.
  var backlogBytes: Int { down.count * Self.messageBytes }
  static let messageBytes = 100
  /// The bytes that the client has read since the last report.
  var takenBytes = 0
}
