import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeWire

/// A measured part of the core, and its parameters.
struct CoreCase {
  let step: Step
  /// The number of items in the list.
  var items: Int
  /// The number of others' diffs between an operation's base and the state that it is judged on.
  var unseen = 0

  enum Step: String, CaseIterable, Sendable {
    case judge, apply, shard, decode, encode, replay

    /// Whether the cost can depend on the number of items.
    var dependsOnItems: Bool { self != .decode && self != .encode }
  }

  /// The name of the case, by which its figures are kept.
  var name: String {
    (step == .judge ? "judge, \(unseen) unseen" : step.rawValue) + (step.dependsOnItems ? ", \(items) items" : "")
  }

  /// Prepared work, which is done in ranges, in order, each once.
  typealias Task = (Range<Int>) throws -> Void

  /// Prepares the work of `operations` operations.
  func makeTask(operations: Int) throws -> Task {
    switch step {
    case .judge: try judge(operations)
    case .apply: try apply(operations)
    case .shard: try shard(operations)
    case .decode: try decode(operations)
    case .encode: try encode(operations)
    case .replay: try replay(operations)
    }
  }

  /// An authority judges and applies moves of authors who have each missed the others' diffs since their base.
  private func judge(_ operations: Int) throws -> Task {
    // Enough authors that each has its next turn only when its last move is older than its base.
    let authors = unseen + 2
    var authority = try CoreAuthority(items: items, authors: authors)
    let moves = (0..<operations).map { _ in authority.nextMove() }
    var next = 0
    func judge(_ move: TableOperation.Kind) {
      next = next + 1 < authors ? next + 1 : 0
      let operation = authority.operation(move, by: next, unseen: UInt64(unseen))
      _ = authority.judge(operation, by: next)
    }
    // Fills the history to its limit.
    for _ in 0..<TableLimits.historyRevisionsMax { judge(authority.nextMove()) }
    return { for number in $0 { judge(moves[number]) } }
  }

  /// A replica without pending operations applies the diffs of others.
  private func apply(_ operations: Int) throws -> Task {
    var authority = try CoreAuthority(items: items, authors: 2)
    var replica = authority.makeReplica()
    let diffs = (0..<operations).map { _ in authority.nextAccepted(by: 1).diff }
    return { for number in $0 { _ = try replica.receive(diffs[number]) } }
  }

  /// A shard receives frames as its loop does, 64 per turn, judges them, and sends their diffs to four members.
  private func shard(_ operations: Int) throws -> Task {
    let shard = try PlayedShard.measured(tables: 1, players: 4, type: "list?items=\(items)")
    let players = shard.players.count
    var rehearsal = CoreAuthority(shard.state(at: 0), authors: players)
    let frames = (0..<operations).map { number in
      let operation = rehearsal.operation(rehearsal.nextMove(), by: number % players)
      _ = rehearsal.judge(operation, by: number % players)
      return ClientMessage.operation(operation).framed()
    }
    return {
      for number in $0 {
        shard.receive(frames[number], from: number % players)
        if number % 64 == 63 { try shard.endTurn() }
      }
    }
  }

  /// Operations are decoded as a daemon receives them.
  private func decode(_ operations: Int) throws -> Task {
    var authority = try CoreAuthority(items: items, authors: 1)
    let frames = (0..<operations).map { _ in
      ClientMessage.operation(authority.nextAccepted(by: 0).operation).encoded()
    }
    var sum: UInt64 = 0
    return {
      for number in $0 {
        let message = try frames[number].withUnsafeBytes { try ClientMessage(decoding: $0) }
        if case .operation(let operation) = message { sum &+= operation.base.rawValue }
      }
    }
  }

  /// Diffs are encoded for one viewer into a reused buffer, 64 per turn.
  private func encode(_ operations: Int) throws -> Task {
    var authority = try CoreAuthority(items: items, authors: 1)
    let diffs = (0..<operations).map { _ in authority.nextAccepted(by: 0).diff }
    var writer = FrameWriter()
    return {
      for number in $0 {
        if number % 64 == 0 { writer.removeAll() }
        writer.frame(diffs[number], for: .spectator, isAuthor: false)
      }
    }
  }

  /// A replica with four pending operations submits another, receives another's diff below them, and then its first answer.
  private func replay(_ operations: Int) throws -> Task {
    var authority = try CoreAuthority(items: items, authors: 2)
    var replica = authority.makeReplica()
    for _ in 0..<4 { _ = replica.submit(authority.nextMove(), sendsRefused: true) }
    var rehearsal = replica
    let steps = try (0..<operations).map { _ in
      let move = authority.nextMove()
      _ = rehearsal.submit(move, sendsRefused: true)
      let others = authority.nextAccepted(by: 1).diff
      _ = try rehearsal.receive(others)
      let first = rehearsal.pending[0].operation
      let answer = authority.judge(first, by: 0)
      let outcome = Outcome(
        sequence: first.sequence, verdict: .unchanged, revision: authority.table.state.revision)
      try Self.receive(answer, or: outcome, &rehearsal)
      return (move: move, others: others, answer: answer, outcome: outcome)
    }
    return {
      for step in steps[$0] {
        _ = replica.submit(step.move, sendsRefused: true)
        _ = try replica.receive(step.others)
        try Self.receive(step.answer, or: step.outcome, &replica)
      }
    }
  }

  private static func receive(_ answer: Diff?, or outcome: Outcome, _ replica: inout Replica) throws {
    if let answer { _ = try replica.receive(answer) } else { _ = replica.receive(outcome) }
  }
}

extension PlayedShard {
  /// Returns a shard whose work is that of the daemon's, and nothing else, at whose tables all players have joined.
  static func measured(
    tables: Int, players: Int, type: String, durability: Durability = .memory,
    types: CachedTableTypes = CachedTableTypes()
  ) throws -> PlayedShard {
    let options = ShardHostOptions {
      $0.types = types
      $0.durability = durability
      $0.limits.sessions.operationsPerSecondMax = 0
    }
    return try PlayedShard(options, DiscardingJournal(), tables: tables, players: players, type: type)
  }
}
