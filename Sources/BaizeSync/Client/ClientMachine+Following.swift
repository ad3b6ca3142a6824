import BaizeTable
import BaizeWire

/// Messages of a live table, divergence, and operations to send again.
extension ClientMachine {
  mutating func receive(_ diff: Diff, at now: Instant, into effects: inout [ClientEffect]) {
    // Between a request for a snapshot and its first part, diffs may arrive that no longer fit. They still answer
    // operations.
    note(diff.minted, of: diff.sequence)
    guard phase == .live || catchUp != nil, replica != nil else { return settle(diff, into: &effects) }
    do throws(DiffMismatch) {
      let update = try replica?.receive(diff)
      effects.append(.event(.diff(diff)))
      if let update { report(update, into: &effects) }
      dropPresence(after: diff, into: &effects)
      finishCatchUp(at: now, into: &effects)
      sendAgainIfDue(at: now, into: &effects)
    } catch {
      settle(diff, into: &effects)
      resynchronize(error.detail, at: now, into: &effects)
      effects.append(.event(.changed([.reloaded])))
    }
  }

  private mutating func settle(_ diff: Diff, into effects: inout [ClientEffect]) {
    if let update = replica?.settle(diff) { report(update, into: &effects) }
  }

  mutating func receive(_ outcome: Outcome, at now: Instant, into effects: inout [ClientEffect]) {
    note(outcome.minted, of: outcome.sequence)
    guard let update = replica?.receive(outcome) else { return }
    for answered in update.answers {
      guard case .invited(let text) = answered.answer, case .perform(let name, _, _) = answered.operation.kind,
        name == HostAction.invitePlayers.name
      else { continue }
      keep(invite: text)
    }
    report(update, into: &effects)
    sendAgainIfDue(at: now, into: &effects)
  }

  /// Keeps an invite for later hellos, if there is one that a hello may have.
  mutating func keep(invite text: String) {
    if (1...WireLimits.inviteBytesMax).contains(text.utf8.count) { invite = text }
  }

  /// Records the ids that the daemon gave to the items that an operation of this session has created.
  private mutating func note(_ minted: ItemList, of sequence: SequenceNumber) {
    guard !minted.isEmpty else { return }
    made = made ?? AuthorMemory()
    made?.restore(minted, of: sequence)
  }

  private mutating func report(_ update: Update, into effects: inout [ClientEffect]) {
    if !update.changes.isEmpty { effects.append(.event(.changed(update.changes))) }
    for answered in update.answers { report(answered, into: &effects) }
  }

  // MARK: Divergence

  mutating func compare(_ pong: Pong, at now: Instant, into effects: inout [ClientEffect]) {
    guard phase == .live, replica?.agrees(with: pong) == false else { return }
    resynchronize("the view at revision \(pong.revision.rawValue) has another hash", at: now, into: &effects)
  }

  /// Requests a snapshot to replace the replica.
  private mutating func resynchronize(_ why: String, at now: Instant, into effects: inout [ClientEffect]) {
    divergences += 1
    isReplicaWrong = true
    loading = nil
    catchUp = nil
    phase = .loading
    effects.append(.event(.diverged(why)))
    send(.snapshotRequest(why: String(why.prefix(100))), at: now, into: &effects)
  }

  // MARK: Sending again

  /// Sends the pending operations again once all of them were answered with `retry`, and the wait is over.
  mutating func sendAgainIfDue(
    at now: Instant, isReported: Bool = true, into effects: inout [ClientEffect]
  ) {
    guard phase == .live, let why = replica?.retryReason else { return }
    if why.reason != .staleBase, why.reason != .notPlaced {
      let due = retryAt ?? now.advanced(byMilliseconds: configuration.retryMilliseconds)
      retryAt = due
      guard now >= due else { return }
    }
    retryAt = nil
    guard let again = replica?.reexpress() else { return }
    keeping?.isUnsaved = true
    persistIfUnsaved(into: &effects)
    if isReported, !again.changes.isEmpty { effects.append(.event(.changed(again.changes))) }
    for operation in again.operations { send(.operation(operation), at: now, into: &effects) }
  }
}
