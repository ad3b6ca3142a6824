/// The viewers that may see a face.
public enum FaceVisibility: Hashable, Sendable, BitwiseCopyable {
  /// Every viewer, spectators included.
  case everyone
  /// No viewer.
  case nobody
  /// One seat only.
  case seat(SeatNumber)

  /// Returns whether `viewer` may see the face.
  public func includes(_ viewer: SeatNumber) -> Bool {
    switch self {
    case .everyone: true
    case .nobody: false
    case .seat(let seat): seat == viewer && viewer != .spectator
    }
  }
}

/// The viewers that may see a change.
///
/// A change that some may not see is sent in two forms: the true one to the seat that may see it, and a form without
/// the hidden parts to all others. A table is restored from the true form.
public enum Audience: Hashable, Sendable, BitwiseCopyable {
  /// Every viewer.
  case everyone
  /// One seat; nobody for ``SeatNumber/spectator``.
  case only(SeatNumber)
  /// All but one seat; everyone for ``SeatNumber/spectator``.
  case except(SeatNumber)

  /// Returns whether `viewer` may see the change.
  public func includes(_ viewer: SeatNumber) -> Bool {
    switch self {
    case .everyone: true
    case .only(let seat): seat == viewer && seat != .spectator
    case .except(let seat): seat != viewer || seat == .spectator
    }
  }
}
