/// From whom a message comes: what the daemon says is bounded by its frames alone.
enum Sender {
  case client
  case daemon

  func limit(_ clientLimit: Int) -> Int {
    switch self {
    case .client: clientLimit
    case .daemon: .max
    }
  }
}
