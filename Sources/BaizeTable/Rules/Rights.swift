/// The policy for which seats may act when.
public enum TurnPolicy: Hashable, Sendable {
  /// Every seat at any time, on all collections.
  case free
  /// Every seat at any time, but an owned collection only by its owner.
  case zones
  /// As `zones`, and only the seat whose turn it is. A seat may reorder its own collection at any time.
  case turns
}

/// The seats that a rule admits to a collection.
public enum Access: Hashable, Sendable {
  /// Every seat.
  case anyone
  /// The collection's owner; every seat if it has none.
  case owner
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
