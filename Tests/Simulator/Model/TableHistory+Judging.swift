import BaizeTable
import BaizeWorkload

/// The checks of every diff: once (I3), conserving (I4), allowed (I5), and as its author intended (I9).
extension TableHistory {
  /// I3: operations are judged in order, each once.
  mutating func follow(_ operation: OperationKey) throws {
    let last = judged[operation.session] ?? .zero
    try hold(!forgotten.contains(operation.session), "I3", "\(operation), which has ended, was judged")
    try hold(operation.sequence == last.next, "I3", "\(operation) was judged after \(last.rawValue)")
    judged[operation.session] = operation.sequence
  }

  mutating func judge(_ diff: Diff, _ before: TableState, _ tableIndex: Int, _ world: World) throws {
    let after = table.state
    world.count(diff.author == .daemon ? .diffsOfTheDaemon : .diffs)
    if diff.revision.rawValue % 8 == 0 { try hold("I4", at: "the daemon", fault: after.brokenInvariant()) }
    guard diff.author != .daemon else { return try checkTime(diff, before, after, world) }
    let key = OperationKey(session: diff.author, sequence: diff.sequence)
    try follow(key)
    effects[key] = Effect(epoch: epoch, revision: diff.revision)
    let asked = try require(world.asked(key, epoch: epoch, table: tableIndex), "I3", "no client submitted \(key)")
    try checkParticipation(diff, asked.host, before, after, world)
    try checkConservation(diff, before, after)
    try checkRules(diff, before, after, world)
    try asked.intention?.check(
      diff, under: epoch, loadedAt: world.clients[asked.client].loadedAt, before: before, after: after, diffs: diffs,
      world: world)
  }

  /// I5: besides the seats, the daemon changes only what a time that is up leads to.
  private func checkTime(_ diff: Diff, _ before: TableState, _ after: TableState, _ world: World) throws {
    for case .seats in diff.changes { return }
    try hold(TimedReferee(before).allows(after), "I5", "no time that was up leads to \(diff)")
    world.count(.expiries)
  }

  /// I4. Items are counted, not ids: what is hidden is removed and inserted under a new id.
  private func checkConservation(_ diff: Diff, _ before: TableState, _ after: TableState) throws {
    var change = 0
    // An alias is no item of its own: it goes with its item.
    let aliases = after.aliasCount - before.aliasCount
    for index in diff.changes.indices {
      // The others' views have no other change.
      if case .except = diff.audience(at: index) { continue }
      switch diff.changes[index] {
      case .inserted(let items, _): change += items.count
      case .removed(let items): change -= items.count
      case .moved, .faced, .status, .enabled, .counted, .variables, .seats: break
      }
    }
    try hold(
      after.itemCount == before.itemCount + change, "I4",
      "\(before.itemCount) items became \(after.itemCount) by \(diff)")
    switch diff.operation {
    case .move:
      try hold(change == aliases && aliases <= 0, "I4", "a move changed the number of items by \(change)")
    case .copy: try hold(change > 0, "I4", "a copy made \(change) items")
    case .delete: try hold(change < 0, "I4", "a deletion made \(change) items")
    case .alias: try hold(change > 0 && aliases == change, "I4", "\(aliases) aliases were made as \(change) items")
    case .cancel, .forbidden: break
    }
  }

  /// I5: a move is allowed by the rules on the state before it, and by an oracle where there is one.
  private func checkRules(_ diff: Diff, _ before: TableState, _ after: TableState, _ world: World) throws {
    guard diff.operation == .move, case .moved(let items, let placement)? = diff.changes.first else { return }
    let forbidden = Oracle.violation(to: items, placement.destination, before: before, after: after)
    try hold("I5", at: "\(diff)", fault: forbidden)
    guard !diff.isRedirected else { return }
    world.count(.movesJudgedAgain)
    let seat = before.seats.first { $0.person == diff.author }?.number ?? .spectator
    let difference = ReorderDifference(sources: items, destination: placement.destination)
    let verdict = before.dropConfiguration(for: difference, by: seat)
    try hold(
      verdict.operation == .move, "I5",
      "the rules say \(verdict.refusal?.reason.rawValue ?? "\(verdict.operation)") to \(diff)")
  }
}
