package import BaizeTable

/// The viewer for whom a message is encoded.
package enum Viewpoint {
  /// No viewer: the message is encoded as it is, and a visibility of `.nobody` marks hidden faces.
  case asGiven
  /// A participant in a seat, or a spectator.
  case seat(SeatNumber)
  /// The journal, which stores every face and its visibility.
  case journal

  func sees(_ visibility: FaceVisibility) -> Bool {
    switch self {
    case .asGiven, .journal: visibility != .nobody
    case .seat(let seat): visibility.includes(seat)
    }
  }

  func receives(_ audience: Audience) -> Bool {
    switch self {
    case .asGiven, .journal: true
    case .seat(let seat): audience.includes(seat)
    }
  }

  /// Returns whether a face of this visibility is encoded.
  func includesFace(_ visibility: FaceVisibility) -> Bool {
    if Mutation.face.isActive { return true }
    return switch self {
    case .journal: true
    case .asGiven, .seat: sees(visibility)
    }
  }
}
