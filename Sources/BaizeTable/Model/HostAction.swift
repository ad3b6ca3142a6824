/// What the host of a table may do besides playing: a `perform` whose action begins with `host/`.
///
/// The host is the session that ``TableState/host`` says. No table type has actions of such names.
public enum HostAction: Hashable, Sendable {
  /// Takes a collection out of use, or puts it in use again: nothing is lifted from one that is not, or dropped there.
  case freeze(CollectionHandle)
  case thaw(CollectionHandle)
  /// Frees a seat; the session that sits there is forgotten.
  case kick(SeatNumber)
  /// Seats a session that is at the table. Whoever sat there watches from then on; the seat that it had is free.
  case give(SeatNumber, to: SessionID)
  /// Makes a new invite, for players or for spectators. The one before is void.
  case invitePlayers
  case inviteSpectators

  /// What the names of these actions begin with, and of no others.
  static let prefix = "host/"

  /// The action that an operation names; `nil` where there is none of that name.
  ///
  /// - Parameter destination: Names the collection, for the actions that are about one.
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

  /// What is to be submitted to have it done.
  public var operation: TableOperation.Kind {
    switch self {
    case .freeze(let collection), .thaw(let collection): .perform(action: name, items: [], .end(of: collection))
    case .kick, .give, .invitePlayers, .inviteSpectators: .perform(action: name, items: [], nil)
    }
  }
}
