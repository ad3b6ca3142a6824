/// Who may act when.
public enum TurnPolicy: Hashable, Sendable {
  /// Anyone at any time; an owner's collections are anyone's to touch.
  case free
  /// Anyone at any time, with an owner's collections left to the owner.
  case zones
  /// As `zones`, and only the seat whose turn it is; one's own collection may be put in order at any time.
  case turns
}

/// Whom a rule admits to a collection.
public enum Access: Hashable, Sendable {
  case anyone
  /// The collection's owner; anyone where it has none.
  case owner
}

/// To whom a change is told.
///
/// What some may not see is told in two ways: as it is to the one seat that may see it, and as what it looks like to all
/// others. The first is the truth, by which a table is restored.
public enum Audience: Hashable, Sendable, BitwiseCopyable {
  case everyone
  /// One seat; nobody where that is a spectator's.
  case only(SeatNumber)
  /// All but one seat; everyone where that is a spectator's.
  case except(SeatNumber)

  /// Whether `viewer` is told.
  public func includes(_ viewer: SeatNumber) -> Bool {
    switch self {
    case .everyone: true
    case .only(let seat): seat == viewer && seat != .spectator
    case .except(let seat): seat != viewer || seat == .spectator
    }
  }
}
