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
