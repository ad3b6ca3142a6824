/// The origin of a message, which decides on its limits: a daemon's message is bounded by its frame alone.
package enum Sender {
  case client
  case daemon
  /// The daemon itself, earlier: in the journal a hidden item has its face.
  case journal

  /// Returns the limit for this sender: `clientLimit` for a client, none for others.
  func limit(_ clientLimit: Int) -> Int {
    switch self {
    case .client: clientLimit
    case .daemon, .journal: .max
    }
  }
}
