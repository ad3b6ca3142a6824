import BaizeBot
import BaizeHarness
import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

extension LoadState {
  mutating func fill(_ place: Int) {
    guard canSubmit(place), let replica = tables[connections[place].table].replica else { return }
    let state = replica.state
    while canSubmit(place), submit(place, replica, state) { operationsLeft = operationsLeft.map { $0 - 1 } }
  }

  private func canSubmit(_ place: Int) -> Bool {
    isSubmitting && pace == nil && connections[place].isPlayer && connections[place].phase == .live
      && connections[place].retryFrom == nil && connections[place].unanswered < options.window
      && operationsLeft != 0
  }

  mutating func submit(_ place: Int, _ replica: Replica, _ state: TableState) -> Bool {
    let kind =
      state.type.name == "grid" || state.type.name == "list"
      ? state.anyMove(&random, not: connections[place].moved) : ruled(replica)
    guard let kind else { return false }
    submit(kind, place, base: state.revision)
    return true
  }

  mutating func submit(_ kind: TableOperation.Kind, _ place: Int, base: Revision) {
    let table = connections[place].table
    let sequence = connections[place].nextSequence
    let operation = TableOperation(
      sequence: SequenceNumber(rawValue: sequence), base: base, epoch: connections[place].epoch,
      unanswered: UInt32(connections[place].unanswered), kind: kind)
    connections[place].nextSequence += 1
    connections[place].unanswered += 1
    connections[place].noteSent(sequence, at: now)
    connections[place].noteMoved(kind, window: options.window)
    if table == 0, recording != nil {
      recording?.note(operation: ClientMessage.operation(operation).framed(), of: connections[place].session)
    }
    send(.operation(operation), place)
  }

  /// An operation that the rules allow, at tables of other types than free lists.
  private mutating func ruled(_ replica: Replica) -> TableOperation.Kind? {
    guard case .submit(let kind, _) = strategy.next(at: replica, random: &random) else { return nil }
    return kind
  }

  mutating func answered(_ place: Int, _ sequence: UInt64) {
    connections[place].unanswered -= 1
    let sent = connections[place].timeSent(sequence)
    if sent > 0, now > sent { counters.toOwn.record(now - sent) }
    if tables[connections[place].table].fillLeft > 0 { fillOn(connections[place].table) }
    if let from = connections[place].retryFrom, connections[place].unanswered == 0 {
      connections[place].nextSequence = from
      connections[place].retryFrom = nil
    }
  }

  mutating func send(_ message: ClientMessage, _ place: Int) {
    set.send(message, to: connections[place].key)
  }
}
