import BaizeTable
import BaizeWire

/// Loading: from the welcome until the table is live.
extension ClientMachine {
  mutating func receive(_ welcome: Welcome, at now: Instant, into effects: inout [ClientEffect]) {
    guard case .greeting = phase else { return drop(at: now, into: &effects) }
    keep(invite: welcome.invite)
    if welcome.tableType.isEmpty { return follow(welcome, at: now, into: &effects) }
    do {
      if let old = self.welcome, let tableType, old.tableType == welcome.tableType, old.options == welcome.options {
        self.tableType = tableType
      } else {
        tableType = try types.tableType(document: welcome.tableType, options: welcome.options)
      }
    } catch {
      effects.append(.disconnect)
      end(Goodbye(.unknownType, detail: "the table type cannot be read: \(error)"), into: &effects)
      return
    }
    let known = self.welcome.map { ($0.ticket, $0.seat) } ?? keeping?.session.map { ($0.ticket, $0.seat) }
    if let known, known.0 != welcome.ticket {
      // Pending operations belong to their session.
      forget(into: &effects)
    } else if let known, known.1 != welcome.seat {
      changeSeat(from: known.1)
    }
    self.welcome = welcome
    persist(into: &effects)
    heartbeat.compared = now
    phase = .loading
  }

  /// Receives a welcome that only diffs follow, up to the welcome's revision, instead of a snapshot.
  private mutating func follow(_ welcome: Welcome, at now: Instant, into effects: inout [ClientEffect]) {
    guard let old = self.welcome, let replica, !isReplicaWrong, welcome.epoch == replica.epoch,
      welcome.ticket == old.ticket, welcome.seat == old.seat, welcome.revision >= replica.confirmedRevision
    else {
      // The diffs do not fit this replica, so that the next hello asks for a snapshot.
      isReplicaWrong = true
      return drop(at: now, into: &effects)
    }
    var welcome = welcome
    welcome.tableType = old.tableType
    welcome.options = old.options
    self.welcome = welcome
    self.replica?.frameBytesMax = Int(clamping: welcome.frameBytesMax)
    persist(into: &effects)
    heartbeat.compared = now
    phase = .loading
    catchUp = welcome.revision
    finishCatchUp(at: now, into: &effects)
  }

  mutating func finishCatchUp(at now: Instant, into effects: inout [ClientEffect]) {
    guard let revision = catchUp, let replica, let welcome, replica.confirmedRevision >= revision else { return }
    catchUp = nil
    // The answers up to the welcome's number come among the diffs and behind them, as far as no snapshot contained them.
    begin(replica.author, resendingAfter: welcome.lastSequence, at: now, into: &effects)
  }

  /// Makes the table live on this connection, and sends the pending operations after `last` again.
  private mutating func begin(
    _ author: Author, resendingAfter last: SequenceNumber, at now: Instant, into effects: inout [ClientEffect]
  ) {
    phase = .live
    attempts = 0
    retryAt = nil
    isFreshConnection = false
    effects.append(.event(.joined(author.session, author.seat)))
    sendPending(after: last, at: now, into: &effects)
    sendPresence(at: now, into: &effects)
  }

  private mutating func sendPending(
    after last: SequenceNumber, at now: Instant, into effects: inout [ClientEffect]
  ) {
    persistIfUnsaved(into: &effects)
    for operation in replica?.resend(after: last) ?? [] { send(.operation(operation), at: now, into: &effects) }
  }

  mutating func receive(_ part: SnapshotPart, at now: Instant, into effects: inout [ClientEffect]) {
    guard let tableType, welcome != nil else { return drop(at: now, into: &effects) }
    if part.isFirst {
      phase = .loading
      catchUp = nil
      loading = (part, StateLoader(type: tableType))
    }
    do throws(DiffMismatch) {
      try loading?.state.add(part)
    } catch {
      // The daemon would finish this snapshot before it starts another; a new connection gets a new one at once.
      divergences += 1
      effects.append(.event(.diverged(error.detail)))
      return drop(at: now, into: &effects)
    }
    if part.isComplete { finishLoading(part, at: now, into: &effects) }
  }

  /// Forgets, in another epoch, the operations that were answered and that the daemon has lost: their numbers are given again.
  private mutating func forgetLost(after last: SequenceNumber) {
    made?.forgetMade(after: last)
    keeping?.forgetNumbers(after: last)
  }

  private mutating func finishLoading(_ last: SnapshotPart, at now: Instant, into effects: inout [ClientEffect]) {
    guard let (first, loaded) = loading, let welcome else { return }
    loading = nil
    let state = loaded.finish(
      revision: last.revision, status: first.status, variables: first.variables, seats: first.seats)
    let seat = first.seats.first { $0.person == welcome.person }?.number ?? .spectator
    var new = Replica(
      state: state, epoch: last.epoch, author: Author(session: welcome.session, seat: seat),
      lastSequence: last.lastSequence, keySeed: random.peeked)
    new.reportsChanges = configuration.reportsChanges
    new.frameBytesMax = Int(clamping: welcome.frameBytesMax)
    let isNewEpoch = replica.map { $0.epoch != last.epoch } ?? false
    if isNewEpoch || (replica == nil && keeping.map { $0.waitingEpoch != last.epoch } == true) {
      forgetLost(after: last.lastSequence)
    }
    if let old = replica {
      new.adopt(pendingOf: old)
      if isNewEpoch { keeping?.isUnsaved = true }
    } else if restorePending(to: &new) {
      keeping?.isUnsaved = true
    }
    replica = new
    isReplicaWrong = false
    // The table has come back from the journal, and presence is not there.
    if isNewEpoch {
      restartPresence(isConnected: !isFreshConnection, into: &effects)
    } else {
      dropPresence(outside: first.seats, into: &effects)
    }
    if isFreshConnection {
      begin(new.author, resendingAfter: .zero, at: now, into: &effects)
    } else {
      phase = .live
      // Operations sent under the old epoch were not judged, and have new sequence numbers.
      if isNewEpoch { sendPending(after: .zero, at: now, into: &effects) }
    }
    sendPresence(at: now, into: &effects)
    // The daemon does not repeat a `retry`. The changes of a retry here are part of the reload.
    sendAgainIfDue(at: now, isReported: false, into: &effects)
    effects.append(.event(.changed([.reloaded])))
  }
}
