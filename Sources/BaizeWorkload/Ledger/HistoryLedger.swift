package import BaizeTable
package import BaizeWire

/// Everything that the daemon ever sent about one table, to any client, as read from the wire.
///
/// It must be consistent: a revision is the same for every client, an operation's verdict is the same whenever it is
/// sent, and a new epoch begins no earlier than the last revision that any client received.
package struct HistoryLedger {
  private enum Verdict: Hashable, CustomStringConvertible {
    case accepted(Revision)
    case unchanged
    case refused(Reason)

    var description: String {
      switch self {
      case .accepted(let revision): "accepted as revision \(revision.rawValue)"
      case .unchanged: "unchanged"
      case .refused(let reason): "refused (\(reason.rawValue))"
      }
    }
  }

  package private(set) var faults = FaultList()
  package private(set) var sessions: Set<SessionID> = []
  package private(set) var epoch = Epoch(rawValue: 0)
  /// The last revision that any client received.
  package private(set) var revision = Revision.zero
  /// The same, in epochs before the present one.
  private var floor = Revision.zero
  private var makers: [Revision: OperationKey] = [:]
  private var verdicts: [OperationKey: Verdict] = [:]
  /// By session: the highest operation with a verdict.
  private var lastJudged: [SessionID: SequenceNumber] = [:]

  package init() {}

  // MARK: Messages

  package mutating func note(_ welcome: Welcome) {
    sessions.insert(welcome.session)
    reach(welcome.epoch)
    if welcome.epoch < epoch {
      return faults.note(.regressed, "epoch \(epoch.rawValue) became \(welcome.epoch.rawValue)")
    }
    if welcome.revision < floor {
      faults.note(
        .regressed,
        "epoch \(welcome.epoch.rawValue) is at revision \(welcome.revision.rawValue), and \(floor.rawValue) was seen before"
      )
    }
    let judged = lastJudged[welcome.session] ?? .zero
    if welcome.lastSequence < judged {
      faults.note(
        .regressed,
        "session \(welcome.session.rawValue) is at operation \(welcome.lastSequence.rawValue), and "
          + "\(judged.rawValue) was answered")
    }
    revision = max(revision, welcome.revision)
  }

  package mutating func note(_ diff: Diff) {
    revision = max(revision, diff.revision)
    let operation = OperationKey(session: diff.author, sequence: diff.sequence)
    note(operation, made: diff.revision)
    // Others do not receive an author's number if it would reveal something.
    guard diff.author != .daemon, diff.sequence != .zero else { return }
    judge(operation, .accepted(diff.revision))
  }

  package mutating func note(_ outcome: Outcome, to session: SessionID) {
    let operation = OperationKey(session: session, sequence: outcome.sequence)
    switch outcome.verdict {
    case .retry: break
    case .refused: judge(operation, .refused(outcome.refusal.reason))
    case .unchanged: judge(operation, .unchanged)
    case .duplicate:
      // Of an operation older than the recorded outcomes, only its acceptance is known.
      guard outcome.revision > .zero else { return }
      judge(operation, .accepted(outcome.revision))
      note(operation, made: outcome.revision)
    }
  }

  /// Records a complete snapshot.
  package mutating func note(snapshot epoch: Epoch, _ revision: Revision) {
    reach(epoch)
    self.revision = max(self.revision, revision)
  }

  /// Forgets the epochs after one: a crash lost them before they were written, and nothing had changed in them.
  package mutating func loseEpochs(after epoch: Epoch) { self.epoch = min(self.epoch, epoch) }

  private mutating func reach(_ epoch: Epoch) {
    guard epoch > self.epoch else { return }
    self.epoch = epoch
    floor = revision
  }

  private mutating func note(_ operation: OperationKey, made revision: Revision) {
    guard let known = makers[revision] else { return makers[revision] = operation }
    let isSame =
      known.session == operation.session
      && (known.sequence == operation.sequence || known.sequence == .zero || operation.sequence == .zero)
    if !isSame { faults.note(.changed, "revision \(revision.rawValue) was \(known), and is \(operation)") }
  }

  private mutating func judge(_ operation: OperationKey, _ verdict: Verdict) {
    lastJudged[operation.session] = max(lastJudged[operation.session] ?? .zero, operation.sequence)
    guard let known = verdicts[operation] else { return verdicts[operation] = verdict }
    guard known != verdict else { return }
    let isTwice = if case (.accepted, .accepted) = (known, verdict) { true } else { false }
    faults.note(isTwice ? .duplicated : .changed, "\(operation) was \(known), and is \(verdict)")
  }

  // MARK: The end

  /// Checks that every revision was made by an answered operation, by a player who took a seat, or when time was up. If
  /// there are more, an operation had a second effect.
  ///
  /// - Parameters:
  ///   - last: The revision at the end.
  ///   - movesPerEpoch: How often the daemon may have moved the table to another document under each epoch but the first.
  package mutating func close(at last: Revision, movesPerEpoch: Int = 0) {
    if last < revision {
      faults.note(.regressed, "the table ends at revision \(last.rawValue), and \(revision.rawValue) was seen")
    }
    let known = makers.keys.count { $0 <= last && $0 > .zero }
    let unseen = Int(last.rawValue) - known
    let moves = movesPerEpoch * (Int(max(epoch.rawValue, 1)) - 1)
    if unseen > sessions.count + moves {
      faults.note(
        .duplicated,
        "\(unseen) revisions have no operation, and only \(sessions.count) players took a seat"
          + (moves > 0 ? ", and the table moved \(moves) times" : ""))
    }
  }
}

/// An operation, by its session and number.
package struct OperationKey: Hashable, Sendable, CustomStringConvertible {
  package let session: SessionID
  package let sequence: SequenceNumber

  package init(session: SessionID, sequence: SequenceNumber) {
    self.session = session
    self.sequence = sequence
  }

  package var description: String { "operation \(sequence.rawValue) of session \(session.rawValue)" }
}
