/// An action that only the host of a table may perform: a `perform` operation whose action begins with `host/`.
///
/// The host is the person in ``TableState/hostPerson``. No table type has actions with such names.
public enum HostAction: Hashable, Sendable {
  /// Disables a collection: no item can be lifted from it or dropped on it.
  case freeze(CollectionHandle)
  /// Enables a collection again.
  case thaw(CollectionHandle)
  /// Frees a seat; the session that has it is forgotten.
  case kick(SeatNumber)
  /// Gives a seat to a session that is at the table. The session that had it becomes a spectator; the receiver's former
  /// seat is freed.
  case give(SeatNumber, to: SessionID)
  /// Makes a new invite for players. The one before becomes void.
  case invitePlayers
  /// Makes a new invite for spectators. The one before becomes void.
  case inviteSpectators

  /// The prefix of the names of these actions, and of no others.
  static let prefix = "host/"

  /// Parses the action that an operation names; `nil` if there is no host action of that name.
  ///
  /// - Parameters:
  ///   - action: The name, such as `host/kick/2`.
  ///   - destination: The collection, for ``freeze(_:)`` and ``thaw(_:)``.
  public init?(action: String, destination: Destination?) {
    guard action.hasPrefix(Self.prefix) else { return nil }
    let words = action.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    let collection = destination?.collection ?? CollectionHandle(rawValue: 0)
    switch (words.first, words.count) {
    case ("freeze", 1): self = .freeze(collection)
    case ("thaw", 1): self = .thaw(collection)
    case ("kick", 2):
      guard let seat = UInt32(words[2]) else { return nil }
      self = .kick(SeatNumber(rawValue: seat))
    case ("give", 3):
      guard let seat = UInt32(words[2]), let session = UInt64(words[3]) else { return nil }
      self = .give(SeatNumber(rawValue: seat), to: SessionID(rawValue: session))
    case ("invite", 2) where words[2] == "player": self = .invitePlayers
    case ("invite", 2) where words[2] == "spectator": self = .inviteSpectators
    default: return nil
    }
  }

  /// The action's name in an operation, such as `host/kick/2`.
  public var name: String {
    switch self {
    case .freeze: Self.prefix + "freeze"
    case .thaw: Self.prefix + "thaw"
    case .kick(let seat): Self.prefix + "kick/\(seat.rawValue)"
    case .give(let seat, let session): Self.prefix + "give/\(seat.rawValue)/\(session.rawValue)"
    case .invitePlayers: Self.prefix + "invite/player"
    case .inviteSpectators: Self.prefix + "invite/spectator"
    }
  }

  /// The operation that performs the action.
  public var operation: TableOperation.Kind {
    switch self {
    case .freeze(let collection), .thaw(let collection): .perform(action: name, items: [], .end(of: collection))
    case .kick, .give, .invitePlayers, .inviteSpectators: .perform(action: name, items: [], nil)
    }
  }
}
