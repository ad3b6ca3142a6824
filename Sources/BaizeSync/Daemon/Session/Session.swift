import BaizeTable
import BaizeWire

/// A person at one table on one device or in one tab, across connections. A person has one session or a few, with one name and one
/// seat.
struct Session: Sendable {
  let id: SessionID
  var name: String
  /// Who takes it up.
  let identity: SessionIdentity
  var answers = Answers()
  /// The revision that gave it its seat. Earlier diffs in the seat's view were for another session.
  var seatedAt = Revision.zero
  /// The table's record of its earlier operations.
  var memory: AuthorMemory
  var operationRate = RateLimit()
  /// The rates of what few sessions send; `nil` before the first.
  @Rare private var sentPresence: PresenceRates?
  var connectivity = Connectivity.connected
  /// The number of the hello of its last connection.
  var attempt: UInt64 = 0
  /// The account of its last connection, which is charged for its memory, also while it is away.
  var account = AccountKey.common
  var seat: SeatNumber
  /// The seat of the last connection on which something was received: the client's state is that seat's view.
  var seatShown: SeatNumber?
  /// Whether the person gets no seat by joining: one who was invited as a spectator, or whose seat the host gave to another.
  var isSpectatorOnly = false
  /// What the signed token of its last connection says about a seat (J23); `nil` without one.
  var claim: SeatClaim?
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
    id: SessionID, name: String, seat: SeatNumber, identity: SessionIdentity,
    answersMax: Int = AuthorMemory.answersMaxDefault
  ) {
    self.id = id
    self.name = name
    self.seat = seat
    self.identity = identity
    memory = AuthorMemory(answersMax: answersMax)
  }

  var isConnected: Bool { if case .connected = connectivity { true } else { false } }
  var isForgotten: Bool { if case .forgotten = connectivity { true } else { false } }
  /// The time at which its connection was lost; `nil` while it is connected, and once it is forgotten.
  var lostSince: Instant? { if case .lost(let since) = connectivity { since } else { nil } }

  /// The approximate memory of the session, in bytes.
  var memoryBytes: Int { MemoryLayout<Session>.stride + Self.textBytes + answers.memoryBytes + memory.memoryBytes }

  /// The person, by the number of that one's first session.
  var person: SessionID { identity.person }

  /// Its name and identity.
  private static let textBytes = 256

  /// The session as the journal stores it, without its outcomes.
  var stored: StoredSession {
    StoredSession(
      id: id, name: name, person: identity.person, credential: identity.credential?.bytes ?? [],
      sessionName: identity.name, ticket: identity.ticket, isSpectatorOnly: isSpectatorOnly, account: account)
  }
}
