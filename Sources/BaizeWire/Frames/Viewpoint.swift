import BaizeTable

/// For whose eyes a message is encoded.
enum Viewpoint {
  /// The message says itself what is hidden: by a sight of `.nobody`.
  case asGiven
  case seat(SeatNumber)

  func sees(_ sight: Sight) -> Bool {
    switch self {
    case .asGiven: sight != .nobody
    case .seat(let seat): sight.includes(seat)
    }
  }
}

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
