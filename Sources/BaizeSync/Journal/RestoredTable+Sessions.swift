import BaizeTable
import BaizeWire

/// The sessions of a restored table as its machine has them.
extension RestoredTable {
  /// Prepares the sessions for the table's machine, which takes a while if there are many. May be called on any thread, once
  /// everything is applied.
  ///
  /// - Parameter answersMax: The number of each session's operations whose answers are restored.
  public mutating func prepareSessions(answersMax: Int) {
    preparedSessions = Sessions(of: self, answersMax: answersMax)
    sessions.removeAll()
  }
}

extension Sessions {
  /// Creates the sessions of a restored table. They are disconnected.
  init(of restored: RestoredTable, answersMax: Int) {
    self.init()
    for (_, session) in restored.sessions.sorted(by: { $0.key < $1.key }) {
      restore(session, of: restored.state, answersMax: answersMax)
    }
    reserveID(restored.lastSession)
  }

  private mutating func restore(
    _ restored: RestoredTable.RestoredSession, of state: TableState, answersMax: Int
  ) {
    let stored = restored.stored
    let seat = state.seats.first { $0.person == stored.person }?.number ?? .spectator
    let identity = SessionIdentity(
      person: stored.person, credential: CredentialHash(restoring: stored.credential), name: stored.sessionName,
      ticket: stored.ticket)
    var session = Session(id: stored.id, name: stored.name, seat: seat, identity: identity, answersMax: answersMax)
    session.isSpectatorOnly = restored.stored.isSpectatorOnly
    session.account = restored.stored.account
    session.answers = Answers(restored.outcomes.suffix(answersMax))
    // The journal does not say since when a session has its seat.
    if state.type.views == .differ { session.memory.seatedAt = state.revision }
    for outcome in session.answers.outcomes.remembered {
      session.memory.restore(outcome.minted, of: outcome.sequence)
    }
    session.connectivity = .lost(since: Instant(nanoseconds: 0))
    _ = insert(session)
  }
}
