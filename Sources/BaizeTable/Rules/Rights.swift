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
