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
    guard let token = ResumeToken(restoring: restored.stored.token) else { return }
    let id = restored.stored.id
    let seat = state.seats.first { $0.session == id }?.number ?? .spectator
    let previous = ResumeToken(restoring: restored.stored.previousToken)
    var session = Session(
      id: id, name: restored.stored.name, seat: seat, credentials: Credentials(token, previous: previous),
      answersMax: answersMax)
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
