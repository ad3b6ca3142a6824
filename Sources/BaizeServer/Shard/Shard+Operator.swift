import BaizeSync
import BaizeTable
import BaizeTransport

/// Requests of the daemon's operator. Each takes a bounded part of a turn.
extension Shard {
  func receive(_ request: OperatorRequest) {
    do throws(ShardMachine.OperatorRefusal) {
      try answer(request)
    } catch {
      request.answer(.refused(error))
    }
  }

  private func answer(_ request: OperatorRequest) throws(ShardMachine.OperatorRefusal) {
    switch request.action {
    case .list(let start):
      request.answer(.tables(machine.summaries(from: start, limit: ServerLimits.tablesListedPerTurnMax)))
    case .accounts:
      request.answer(.accounts(machine.largestAccounts(ServerLimits.accountsListedMax, at: now)))
    case .summary(let table):
      guard let summary = machine.summary(ofTable: table) else { throw .notFound }
      request.answer(.tables([summary]))
    case .state(let table):
      guard let summary = machine.summary(ofTable: table), let state = machine.state(ofTable: table) else {
        throw .notFound
      }
      request.answer(.state(summary, state.frozen()))
    case .invite(let table):
      let invite = try machine.spectatorInvite(toTable: table)
      hold(request, .invite(invite))
    case .kick(let seat, let table):
      try machine.kick(seat, fromTable: table, at: now)
      hold(request, .done)
    case .close(let table):
      try machine.close(table: table, at: now)
      hold(request, .done)
    case .delete(let table, let isStored):
      try machine.delete(table: table, isStored: isStored, at: now)
      hold(request, .done)
    case .migrate(let table, let endsSessions, let isStored):
      // Loading it may be what is needed.
      schedule.hasEvents = true
      let hasMoved = try machine.migrate(table: table, endsSessions: endsSessions, isStored: isStored, at: now)
      if hasMoved { log(.info, "the table \(table.quotedForLog) has the present document of its type now") }
      hold(request, hasMoved ? .done : .unchanged)
    case .keepRevocations(let document):
      try machine.keep(revocations: document)
      hold(request, .done)
    }
  }

  /// Answers when the present turn is durable.
  private func hold(_ request: OperatorRequest, _ answer: OperatorAnswer) {
    schedule.hasEvents = true
    operators.append(request, answer)
  }
}

/// The answers to an operator that wait until what they confirm is durable.
struct OperatorReplies {
  private var replies: [(turn: TurnNumber?, request: OperatorRequest, answer: OperatorAnswer)] = []

  mutating func append(_ request: OperatorRequest, _ answer: OperatorAnswer) { replies.append((nil, request, answer)) }

  /// Ends the turn that the last answers belong to.
  ///
  /// - Parameter turn: Its number; `nil` if it writes nothing.
  mutating func endTurn(_ turn: TurnNumber?) {
    guard !replies.isEmpty else { return }
    for index in replies.indices where replies[index].turn == nil {
      if let turn { replies[index].turn = turn } else { replies[index].request.answer(replies[index].answer) }
    }
    replies.removeAll { $0.turn == nil }
  }

  mutating func committed(_ turn: TurnNumber) {
    guard !replies.isEmpty else { return }
    for entry in replies { if let held = entry.turn, held <= turn { entry.request.answer(entry.answer) } }
    replies.removeAll { entry in entry.turn.map { $0 <= turn } ?? false }
  }

  /// Refuses everything that is not durable, but for a document that is still to be written: the journal must not have it later, while
  /// the daemon does without.
  ///
  /// - Parameter areTurnsVoid: Whether the turns that were sent to the journal never become durable.
  mutating func storageFailed(areTurnsVoid: Bool) {
    replies.removeAll { entry in
      if case .keepRevocations = entry.request.action, entry.turn == nil || !areTurnsVoid { return false }
      entry.request.answer(.refused(.busy))
      return true
    }
  }
}
