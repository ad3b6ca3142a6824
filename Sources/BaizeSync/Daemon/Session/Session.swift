import BaizeTable
import BaizeWire

/// One participant's identity at one table, across connections.
struct Session: Sendable {
  let id: SessionID
  let name: String
  var seat: SeatNumber
  /// The revision that gave it this seat. What the seat saw before was for another session.
  var seatedAt = Revision.zero
  /// The seat of the last connection on which something was received: what the client holds was visible to that seat.
  var seatShown: SeatNumber?
  /// Whether it takes no seat by itself: it was invited as a spectator, or the host gave its seat to another.
  var isSpectatorOnly = false
  var credentials: Credentials
  var answers = Answers()
  /// What the table remembers of its earlier operations.
  var memory = AuthorMemory()
  var operationRate = RateLimit()
  var dragRate = RateLimit()
  var dragMoveRate = RateLimit()
  /// Whether it has dragged since the table was in memory, or before it was read anew: others may have received it.
  var hasDragged = false
  var connectivity = Connectivity.connected

  enum Connectivity: Sendable {
    case connected
    case lost(since: Instant)
    /// The slot is free for another session.
    case forgotten
  }

  init(id: SessionID, name: String, seat: SeatNumber, credentials: Credentials) {
    self.id = id
    self.name = name
    self.seat = seat
    self.credentials = credentials
  }

  var isConnected: Bool { if case .connected = connectivity { true } else { false } }
  var isForgotten: Bool { if case .forgotten = connectivity { true } else { false } }
  /// When its connection was lost; `nil` while it is connected, and once it is forgotten.
  var lostSince: Instant? { if case .lost(let since) = connectivity { since } else { nil } }

  /// The form in which the journal keeps it, besides its outcomes.
  var stored: StoredSession {
    StoredSession(
      id: id, name: name, token: credentials.token.bytes, previousToken: credentials.previous?.bytes ?? [],
      isSpectatorOnly: isSpectatorOnly)
  }
}
