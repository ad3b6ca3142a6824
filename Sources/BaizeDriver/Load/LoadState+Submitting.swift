package import BaizeBot
package import BaizeSync
package import BaizeTable
package import BaizeTransport
package import BaizeWire
package import BaizeWorkload

extension LoadState {
  package mutating func fill(_ index: Int) {
    guard canSubmit(index), let replica = tables[connections[index].table].replica else { return }
    let state = replica.state
    while canSubmit(index), submit(index, replica, state) { operationsLeft = operationsLeft.map { $0 - 1 } }
  }

  private func canSubmit(_ index: Int) -> Bool {
    isSubmitting && pace == nil && connections[index].isPlayer && connections[index].phase == .live
      && connections[index].retryFrom == nil && connections[index].inFlight < options.window
      && operationsLeft != 0
  }

  package mutating func submit(_ index: Int, _ replica: Replica, _ state: TableState) -> Bool {
    let kind =
      state.type.name == "grid" || state.type.name == "list"
      ? state.anyMove(&random, not: connections[index].moved) : ruled(replica)
    guard let kind else { return false }
    submit(kind, index, base: state.revision)
    return true
  }

  package mutating func submit(_ kind: TableOperation.Kind, _ index: Int, base: Revision) {
    let sequence = connections[index].nextSequence
    let operation = TableOperation(
      sequence: SequenceNumber(rawValue: sequence), base: base, epoch: connections[index].epoch,
      unanswered: UInt32(connections[index].inFlight), kind: kind)
    connections[index].nextSequence += 1
    connections[index].inFlight += 1
    connections[index].noteSent(sequence, at: now)
    connections[index].noteMoved(kind, window: options.window)
    send(.operation(operation), index)
  }

  /// Returns an operation that the rules allow, at tables of other types than free lists.
  private mutating func ruled(_ replica: Replica) -> TableOperation.Kind? {
    guard case .submit(let kind, _) = strategy.next(at: replica, random: &random) else { return nil }
    return kind
  }

  package mutating func answered(_ index: Int, _ sequence: UInt64) {
    connections[index].inFlight -= 1
    let sent = connections[index].timeSent(sequence)
    if sent > 0, now > sent { counters.toOwn.record(now - sent) }
    if tables[connections[index].table].fillLeft > 0 { fillOn(connections[index].table) }
    if let from = connections[index].retryFrom, connections[index].inFlight == 0 {
      connections[index].nextSequence = from
      connections[index].retryFrom = nil
    }
  }

  package mutating func send(_ message: ClientMessage, _ index: Int) {
    set.send(message, to: connections[index].key)
  }
}
