package import BaizeTable

/// For whose eyes a message is encoded.
package enum Viewpoint {
  /// The message says itself what is hidden: by a sight of `.nobody`.
  case asGiven
  case seat(SeatNumber)
  /// The journal keeps every face, and which of them are hidden.
  case journal

  /// Whether the viewer is told that it sees a face.
  func sees(_ sight: Sight) -> Bool {
    switch self {
    case .asGiven, .journal: sight != .nobody
    case .seat(let seat): sight.includes(seat)
    }
  }

  /// Whether the viewer is told a change that is for `audience`.
  func hears(_ audience: Audience) -> Bool {
    switch self {
    case .asGiven, .journal: true
    case .seat(let seat): audience.includes(seat)
    }
  }

  /// Whether the face is written.
  func gets(_ sight: Sight) -> Bool {
    if Mutation.face.isActive { return true }
    return switch self {
    case .journal: true
    case .asGiven, .seat: sees(sight)
    }
  }
}
