import BaizeTable
import BaizeWire

/// One participant's identity at one table, across connections.
struct Session: Sendable {
  let id: SessionID
  let name: String
  var credentials: Credentials
  var answers = Answers()
  /// The revision that gave it its seat. Earlier diffs in the seat's view were for another session.
  var seatedAt = Revision.zero
  /// The table's record of its earlier operations.
  var memory: AuthorMemory
  var operationRate = RateLimit()
  /// The rates of what few sessions send; `nil` before the first.
  @Rare private var sentPresence: PresenceRates?
  var connectivity = Connectivity.connected
  /// The account of its last connection, which is charged for its memory, also while it is away.
  var account = AccountKey.common
  var seat: SeatNumber
  /// The seat of the last connection on which something was received: the client's state is that seat's view.
  var seatShown: SeatNumber?
  /// Whether it gets no seat when it joins: it was invited as a spectator, or the host gave its seat to another session.
  var isSpectatorOnly = false
  /// Whether it has dragged since the table was loaded, or before it was restored: others may have received the drag.
  var hasDragged = false
  /// Whether it had a value of presence on an earlier connection: others may still have that.
  var hadPresence = false

  /// The rates of drags, values of presence and messages to the table.
  struct PresenceRates: Sendable {
    var drag = RateLimit()
    var dragMove = RateLimit()
    var value = RateLimit()
    var chat = RateLimit()
  }

  var presenceRates: PresenceRates {
    get { sentPresence ?? PresenceRates() }
    set { sentPresence = newValue }
  }

  enum Connectivity: Sendable {
    case connected
    case lost(since: Instant)
    /// The session was forgotten, and its slot is free.
    case forgotten
  }

  /// - Parameter answersMax: The number of operations whose answers are remembered.
  init(
    id: SessionID, name: String, seat: SeatNumber, credentials: Credentials,
    answersMax: Int = AuthorMemory.answersMaxDefault
  ) {
    self.id = id
    self.name = name
    self.seat = seat
    self.credentials = credentials
    memory = AuthorMemory(answersMax: answersMax)
  }

  var isConnected: Bool { if case .connected = connectivity { true } else { false } }
  var isForgotten: Bool { if case .forgotten = connectivity { true } else { false } }
  /// The time at which its connection was lost; `nil` while it is connected, and once it is forgotten.
  var lostSince: Instant? { if case .lost(let since) = connectivity { since } else { nil } }

  /// The approximate memory of the session, in bytes.
  var memoryBytes: Int { MemoryLayout<Session>.stride + Self.textBytes + answers.memoryBytes + memory.memoryBytes }

  /// Its name and tokens.
  private static let textBytes = 256

  /// The session as the journal stores it, without its outcomes.
  var stored: StoredSession {
    StoredSession(
      id: id, name: name, token: credentials.token.bytes, previousToken: credentials.previous?.bytes ?? [],
      isSpectatorOnly: isSpectatorOnly, account: account)
  }
}
