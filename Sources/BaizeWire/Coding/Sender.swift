/// From whom a message comes: what the daemon says is bounded by its frames alone.
package enum Sender {
  case client
  case daemon
  /// The daemon itself, earlier: here a hidden item has its face.
  case journal

  func limit(_ clientLimit: Int) -> Int {
    switch self {
    case .client: clientLimit
    case .daemon, .journal: .max
    }
  }
}
