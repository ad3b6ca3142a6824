package import BaizeTable
package import BaizeWire

/// Everything that the daemon ever sent about one table, to any client, as read from the wire.
///
/// It must be consistent: a revision is the same for every client, an operation's verdict is the same whenever it is
/// sent, and a new epoch begins no earlier than the last revision that any client received.
package struct HistoryLedger {
  /// An operation, by its session and number.
  private struct Effect: Hashable {
    let session: SessionID
    let sequence: SequenceNumber
  }

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
  private var makers: [Revision: Effect] = [:]
  private var verdicts: [Effect: Verdict] = [:]
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
    note(Effect(session: diff.author, sequence: diff.sequence), made: diff.revision)
    // Others do not receive an author's number if it would reveal something.
    guard diff.author != .daemon, diff.sequence != .zero else { return }
    judge(diff.author, diff.sequence, .accepted(diff.revision))
  }

  package mutating func note(_ outcome: Outcome, to session: SessionID) {
    switch outcome.verdict {
    case .retry: break
    case .refused: judge(session, outcome.sequence, .refused(outcome.refusal.reason))
    case .unchanged: judge(session, outcome.sequence, .unchanged)
    case .duplicate:
      // Of an operation older than the recorded outcomes, only its acceptance is known.
      guard outcome.revision > .zero else { return }
      judge(session, outcome.sequence, .accepted(outcome.revision))
      note(Effect(session: session, sequence: outcome.sequence), made: outcome.revision)
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

  private mutating func note(_ effect: Effect, made revision: Revision) {
    guard let known = makers[revision] else { return makers[revision] = effect }
    let isSame =
      known.session == effect.session
      && (known.sequence == effect.sequence || known.sequence == .zero || effect.sequence == .zero)
    guard !isSame else { return }
    faults.note(
      .changed,
      "revision \(revision.rawValue) was operation \(known.sequence.rawValue) of session \(known.session.rawValue) and is "
        + "operation \(effect.sequence.rawValue) of session \(effect.session.rawValue)")
  }

  private mutating func judge(_ session: SessionID, _ sequence: SequenceNumber, _ verdict: Verdict) {
    let effect = Effect(session: session, sequence: sequence)
    lastJudged[session] = max(lastJudged[session] ?? .zero, sequence)
    guard let known = verdicts[effect] else { return verdicts[effect] = verdict }
    guard known != verdict else { return }
    let text = "operation \(sequence.rawValue) of session \(session.rawValue) was \(known), and is \(verdict)"
    if case .accepted = known, case .accepted = verdict {
      faults.note(.duplicated, text)
    } else {
      faults.note(.changed, text)
    }
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
