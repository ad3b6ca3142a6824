import BaizeSync
import BaizeTable
import BaizeWire
import BaizeWorkload

/// The checks of a client at every message.
extension Client {
  func receive(_ message: ServerMessage) throws {
    receivedCount += 1
    world.trace("  \(name) receives: \(world.summary(of: message))")
    try checkOrder(of: message)
    let first = machine.replica?.pending.first
    let wasLive = machine.isLive
    let before = machine.replica?.confirmedRevision
    let waited = machine.replica?.retryingCount ?? 0
    reported = []
    try handle { machine, now, effects in machine.receive(message, at: now, into: &effects) }
    noteResume(message)
    guard let replica = machine.replica, machine.isLive else { return }
    try hold(
      replica.confirmedRevision == order.revision, "I2",
      "\(name) received revision \(order.revision.rawValue), and is at \(replica.confirmedRevision.rawValue)")
    switch message {
    case .diff(let diff):
      world.count(.diffsReceived)
      if wasLive { try compare(replica) }
      if diff.author == session, let first, wasLive {
        try compare(first, with: diff, isAlone: replica.retryingCount == waited)
      }
    case .outcome(let outcome):
      if outcome.verdict == .retry { world.count(.retried) }
      // The answer to an operation that was judged before catch-up by diffs may arrive after them.
      if let first, wasLive, before == outcome.revision { try compare(first, with: outcome) }
      if outcome.verdict == .refused { try checkNoTrace(replica) }
    case .snapshot:
      world.count(.snapshotsReceived)
      try compare(replica)
    case .welcome, .drag, .pong, .seats, .presence, .chat, .countdown, .tokenTime, .watching, .goodbye, .unknown: break
    }
  }

  private func noteResume(_ message: ServerMessage) {
    guard case .welcome(let welcome) = message, session != nil else { return }
    world.count(welcome.tableType.isEmpty ? .resumedByDiffs : .resumedBySnapshot)
  }

  /// I2, I7: no revision is skipped, and none that was received is lost.
  private func checkOrder(of message: ServerMessage) throws {
    // While nothing can be written, a table does not change, and a crash loses its epoch.
    let lost = world.models[table].unwritten
    var faults = FaultList()
    switch message {
    case .welcome(let welcome): order.note(welcome, after: hello, without: lost, into: &faults)
    case .snapshot(let part): order.note(part, without: lost, into: &faults)
    case .diff(let diff): order.note(diff, into: &faults)
    case .outcome, .pong, .drag, .seats, .presence, .chat, .countdown, .tokenTime, .watching, .goodbye, .unknown: break
    }
    try faults.expectNone(at: name)
  }

  /// I1: the confirmed state is the daemon's at that revision; without pending operations it is the visible state.
  func compare(_ replica: Replica, isSampled: Bool = true) throws {
    guard receivedCount % (replica.pending.isEmpty ? 2 : 4) == 0 || !isSampled else { return }
    // A host has just changed its seat: until it has reconnected, it has the view of its previous seat.
    guard replica.author.seat == replica.state.seat(of: replica.author.session) || !isSampled else { return }
    world.count(.statesCompared)
    var copy = replica
    let hash = copy.confirmedHash()
    let truth = world.models[table].hash(
      at: replica.confirmedRevision, epoch: replica.epoch, for: replica.author.session)
    try hold(hash == truth, "I1", "\(name) differs from the daemon at revision \(replica.confirmedRevision.rawValue)")
    if receivedCount % 16 == 0 { try hold("I4", at: name, fault: replica.state.brokenInvariant()) }
    guard replica.pending.isEmpty else { return }
    var visible = replica.state
    try hold(
      visible.viewHash() == hash, "I10", "\(name) has a visible state that no confirmed or pending operation explains")
  }

  // MARK: Prediction equals verdict

  /// Returns whether the oldest pending operation was predicted on the very state that the daemon judged it on.
  private func isPredictable(_ pending: PendingOperation, _ sequence: SequenceNumber) -> Bool {
    pending.operation.sequence == sequence && !pending.isInState
      && pending.operation.base >= loadedAt
      && pending.prediction != .unknown
      && sequence.rawValue > swallowed.rawValue + UInt64(pending.operation.unanswered)
      && !mayFollowPlacedBeforeLoading(pending.operation) && !mayDependOnUnknownOrigin(pending.operation)
  }

  /// N3: whether a gap may depend on an item that its author had placed before its last snapshot, and that is not own for
  /// the replica.
  private func mayFollowPlacedBeforeLoading(_ operation: TableOperation) -> Bool {
    guard !placedBeforeLoading.isEmpty, let destination = operation.destination else { return false }
    let neighbors = Set([destination.position.anchor, destination.after.item])
    return neighbors.contains { $0.isProvisional || placedBeforeLoading.contains($0) }
  }

  /// N3, N4: whether a gap may depend on whose the items are that were placed before the replica's last snapshot, which does not
  /// say that: if others put something there that the author had not seen.
  private func mayDependOnUnknownOrigin(_ operation: TableOperation) -> Bool {
    guard loadedAt > .zero, operation.destination != nil else { return false }
    return !world.models[table].diffs(since: operation.base).allSatisfy { $0.author == session }
  }

  private func compare(_ first: PendingOperation, with diff: Diff, isAlone: Bool) throws {
    guard isPredictable(first, diff.sequence) else { return }
    world.count(.predictionsChecked)
    let verdict = Prediction.shown(diff.operation, isRebased: diff.isRebased, isRedirected: diff.isRedirected)
    // Whose an item is, a snapshot does not say, nor whose the place is to which an undo returned it.
    let isDropInPlace =
      first.prediction == .unchanged && verdict == .shown(.move, isRebased: false, isRedirected: false)
    try hold(
      first.prediction == verdict || (isDropInPlace && loadedAt > .zero), "I10",
      "\(name) predicted \(first.prediction) for \(first.operation), and it was \(diff)")
    // After a crash that lost visible revisions, the numbers of lost operations and the ids of their items are used again.
    guard diff.isPredicted, !world.mayHaveLost, isAlone else { return }
    // Later pending operations may depend on a face that no prediction has.
    guard !reported.contains(where: { isFirstChange($0, of: diff) }) else { return }
    // An undo is placed by the neighbors that others have named, which a replica does not know.
    let diffs = world.models[table].diffs(since: first.operation.base)
    guard !first.operation.isUndo || diffs.allSatisfy({ $0.author == session }) else { return }
    try hold(reported.allSatisfy(\.isNewName), "I10", "\(name) reported \(reported) when its own \(diff) was confirmed")
  }

  /// Returns whether a copy, or a pending copy of it, became visible whose original its author could not see.
  private func isFirstChange(_ change: TableChange, of diff: Diff) -> Bool {
    guard case .updated(let item) = change, diff.operation == .copy, diff.minted.contains(item) || item.isProvisional,
      let type = machine.replica?.state.type
    else { return false }
    return type.kinds.contains { $0.faces != .up }
  }

  private func compare(_ first: PendingOperation, with outcome: Outcome) throws {
    guard isPredictable(first, outcome.sequence) else { return }
    let agrees: Bool
    switch (outcome.verdict, first.prediction) {
    case (.refused, .refused(let refusal)): agrees = refusal.reason == outcome.refusal.reason
    case (.unchanged, .unchanged), (.retry, _), (.duplicate, _): agrees = true
    // Whose an item is, a snapshot does not say.
    case (.unchanged, .shown(.move, _, _)): agrees = mayBeOwn(first.operation.items)
    case (.refused, _), (.unchanged, _): agrees = false
    }
    world.count(.predictionsChecked)
    try hold(agrees, "I10", "\(name) predicted \(first.prediction) for \(first.operation), and it was \(outcome)")
  }

  /// Returns whether the session may have placed all of the items last, some of them before its snapshot.
  private func mayBeOwn(_ items: Set<ItemID>) -> Bool {
    !items.isDisjoint(with: placedBeforeLoading)
      && items.subtracting(placedBeforeLoading).allSatisfy { machine.replica?.state.lastPlacer(of: $0) == session }
  }

  // MARK: Refusals

  /// I10: after a refusal the visible state is that of a client that never sent the operation: the daemon's snapshot with
  /// the pending operations replayed.
  private func checkNoTrace(_ replica: Replica) throws {
    let model = world.models[table]
    guard !world.mayHaveLost, let state = model.state(at: replica.confirmedRevision, epoch: replica.epoch) else {
      return
    }
    // A fresh replica has no revisions from before its snapshot, so that only operations without a rebase can be compared.
    let diffs = model.diffs(since: loadedAt).filter { $0.revision <= replica.confirmedRevision }
    let isComparable = replica.pending.allSatisfy { pending in
      !pending.isInState && needsNoRebase(pending.operation, diffs, replica.state)
    }
    guard isComparable else { return }
    var fresh = Replica(
      state: try state.view(for: replica.author.seat), epoch: replica.epoch, author: replica.author,
      lastSequence: replica.pending.first.map { SequenceNumber(rawValue: $0.operation.sequence.rawValue - 1) } ?? .zero)
    fresh.adopt(pendingOf: replica)
    world.count(.refusalsChecked)
    var shown = replica.state
    var expected = fresh.state
    try hold(shown.viewHash() == expected.viewHash(), "I10", "a refused operation left a trace at \(name)")
  }

  /// Returns whether a replica without history judges an operation in the same way.
  private func needsNoRebase(_ operation: TableOperation, _ diffs: [Diff], _ state: TableState) -> Bool {
    // A replica without history has no record of the undone operation.
    guard operation.base >= loadedAt, !operation.isUndo else { return false }
    // What is behind the item in front of the end, if a pending operation was to take that away and did not, is in its history.
    if operation.unanswered > 0, operation.destination?.position == .end { return false }
    let anchors = operation.destination.map { [$0.position.anchor, $0.after.item] } ?? []
    // Where nothing is known that a drop was made beside, it shows the drop at the end.
    guard anchors.allSatisfy({ $0 == .none || state.collection(of: $0) != nil }) else { return false }
    return diffs.allSatisfy { diff in
      guard diff.revision > operation.base else { return true }
      let moved = diff.items
      // Nor does it know which positions are own (N3).
      return diff.author == session
        && !anchors.contains { $0.isProvisional || moved.contains($0) || state.lastPlacer(of: $0) == session }
    }
  }

  // MARK: Showing

  /// I10: the reported changes lead to the visible state.
  func show(_ changes: [TableChange]) throws {
    guard let state = machine.replica?.state else { return }
    var next = shown ?? ShownTable(state)
    // A wrong state stays wrong, so that occasional checks and one at the end suffice.
    let checksState = receivedCount % 4 == 0 && changesLeft == 0
    let wrong = next.apply(changes, to: state) ?? (checksState ? next.difference(from: state) : nil)
    try hold("I10", at: "\(name) reported \(changes)", fault: wrong)
    shown = next
    reported += changes
  }

  // MARK: At rest

  func checkRest() throws {
    guard hasStarted, !hasEnded else { return }
    guard machine.isLive, let replica = machine.replica else {
      throw InvariantViolation("I1", "\(name) is \(machine.phase) in the end")
    }
    try hold(pending.isEmpty, "I3", "\(name) still waits for \(pending.count) answers")
    let model = world.models[table]
    let history = try require(model.durable, "I2", "\(name) ends at a table that is not durable")
    try hold(
      replica.confirmedRevision == history.revision && replica.epoch == history.epoch, "I2",
      "\(name) ends at revision \(replica.confirmedRevision.rawValue), the table at \(history.revision.rawValue)")
    try hold(
      replica.author.seat == machine.welcome?.seat
        && replica.author.seat == history.table.state.seat(of: replica.author.session), "I2",
      "\(name) ends in seat \(replica.author.seat.rawValue), which is not its own")
    try compare(replica, isSampled: false)
    try checkPresence(of: history.table.state.seats)
    try hold("I4", at: name, fault: replica.state.brokenInvariant())
    try hold(
      replica.state.allCount == history.table.state.allCount, "I4",
      "\(name) has \(replica.state.allCount) items in the end")
    try hold("I10", at: "\(name) shows in the end", fault: shown?.difference(from: replica.state))
  }
}

extension TableState {
  /// The number of items, including those of which only the count is visible.
  fileprivate var allCount: Int { handles.reduce(0) { $0 + count(in: $1) } }
}

extension TableOperation {
  fileprivate var destination: Destination? {
    switch kind {
    case .reorder(let difference, _): difference.destination
    case .insert(_, let destination): destination
    case .perform(_, _, let destination): destination
    case .remove, .update, .undo, .unknown, .invalid: nil
    }
  }
}

extension Predecessor {
  /// The item; none for the start, or if it was not given.
  fileprivate var item: ItemID {
    if case .item(let item) = self { item } else { .none }
  }
}

extension TableChange {
  fileprivate var isNewName: Bool {
    switch self {
    case .renamed, .renamedCollection: true
    case .removed, .inserted, .moved, .updated, .status, .variables, .seats, .enabled, .counted, .opened, .closed,
      .reloaded:
      false
    }
  }
}

extension Client {
  /// Checks that everyone with a seat and a connection has the value that it has set last, and nobody else has any.
  fileprivate func checkPresence(of seats: [Seat]) throws {
    var expected: [SessionID: [UInt8]] = [:]
    for other in world.clients where other.table == table && other !== self && !other.value.isEmpty {
      guard other.machine.isLive, let session = other.session, seats.contains(where: { $0.person == session }) else {
        continue
      }
      expected[session] = other.value
    }
    try hold(machine.presence == expected, "I1", "\(name) sees the values \(machine.presence), which are \(expected)")
    if !expected.isEmpty { world.count(.valuesCompared) }
  }
}

extension Replica {
  /// The number of pending operations that wait to be sent again.
  fileprivate var retryingCount: Int { pending.count { $0.retry != nil } }
}
