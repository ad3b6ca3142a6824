import BaizeSync
import BaizeTable
import BaizeWire

/// Returns a replica of `authority`'s first state that reports no changes.
private func makeReplica(of authority: CoreAuthority) -> Replica {
  var replica = Replica(
    state: authority.table.state, epoch: Epoch(rawValue: 1), author: CoreAuthority.author(0), lastSequence: .zero)
  replica.reportsChanges = false
  return replica
}

/// Applies the diffs of others on a replica without pending operations.
struct ApplyTask: CoreTask {
  private var replica: Replica
  private let diffs: [Diff]

  init(_ measured: CoreCase, operations: Int) throws {
    var authority = try CoreAuthority(items: measured.items, authors: 2)
    replica = makeReplica(of: authority)
    diffs = (0..<operations).map { _ in authority.nextAccepted(by: 1).diff }
  }

  mutating func perform(_ range: Range<Int>) throws {
    for number in range { _ = try replica.receive(diffs[number]) }
  }
}

/// Plays one client in steps: it submits, receives another's diff below its pending operations, and its first answer.
struct ReplayTask: CoreTask {
  private var replica: Replica
  private var steps: [Step] = []

  private static let pending = 4

  private struct Step {
    let move: TableOperation.Kind
    let others: Diff
    let answer: ServerMessage
  }

  init(_ measured: CoreCase, operations: Int) throws {
    var authority = try CoreAuthority(items: measured.items, authors: 2)
    replica = makeReplica(of: authority)
    for _ in 0..<Self.pending { _ = replica.submit(authority.nextMove(), sendsRefused: true) }
    var rehearsal = replica
    for _ in 0..<operations {
      let move = authority.nextMove()
      _ = rehearsal.submit(move, sendsRefused: true)
      let others = authority.nextAccepted(by: 1).diff
      _ = try rehearsal.receive(others)
      let step = Step(move: move, others: others, answer: Self.answer(rehearsal, &authority))
      try Self.receive(step.answer, &rehearsal)
      steps.append(step)
    }
  }

  private static func answer(_ replica: Replica, _ authority: inout CoreAuthority) -> ServerMessage {
    let first = replica.pending[0].operation
    guard let diff = authority.judge(first, by: 0) else {
      let revision = authority.table.state.revision
      return .outcome(Outcome(sequence: first.sequence, verdict: .unchanged, revision: revision))
    }
    return .diff(diff)
  }

  private static func receive(_ answer: ServerMessage, _ replica: inout Replica) throws {
    switch answer {
    case .diff(let diff): _ = try replica.receive(diff)
    case .outcome(let outcome): _ = replica.receive(outcome)
    case .welcome, .snapshot, .drag, .pong, .seats, .goodbye, .presence, .chat, .countdown, .unknown:
      preconditionFailure("\(answer) is no answer")
    }
  }

  mutating func perform(_ range: Range<Int>) throws {
    for step in steps[range] {
      _ = replica.submit(step.move, sendsRefused: true)
      _ = try replica.receive(step.others)
      try Self.receive(step.answer, &replica)
    }
  }
}
