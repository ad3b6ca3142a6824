import BaizeTable
import BaizeWire

/// The sequence numbers of one session: which operations were judged with which outcome, which have to be sent again, and
/// which answers went out.
struct Answers: Sendable {
  private(set) var outcomes = RecordedOutcomes()
  /// While set, an operation was not judged, and every one up to ``Retry/through`` gets the same answer until the first of
  /// them comes again.
  private(set) var retry: Retry?
  /// The last answer that went out on the present connection, or that the snapshot sent on it contains.
  private(set) var sent = SequenceNumber.zero

  struct Retry: Sendable {
    var refusal: Refusal
    /// The last operation that gets this answer.
    var through: SequenceNumber
    /// The last operation whose author received it. Nobody receives it twice: each answer makes a client send again.
    var sent: SequenceNumber

    var isUnsent: Bool { sent < through }
  }

  init(_ outcomes: RecordedOutcomes = RecordedOutcomes()) { self.outcomes = outcomes }

  /// The last operation that was judged.
  var last: SequenceNumber { outcomes.last }
  /// The number of judged operations whose answers were not sent.
  var unsentCount: UInt64 { outcomes.last.rawValue - sent.rawValue }

  // MARK: Judged operations

  /// Records that the next operation made a diff.
  @inline(__always) mutating func record(_ diff: Diff, limit: Int) {
    outcomes.append(diff, limit: limit)
    if retry != nil { endRetry() }
  }

  /// Whether an operation is the next one, and none before it is to be sent again.
  @inline(__always) func isNext(_ sequence: SequenceNumber) -> Bool { sequence == last.next && retry == nil }

  /// Records that the next operation made a diff, which its author gets in this turn, and that none is to be sent again.
  @inline(__always) mutating func recordSent(_ diff: Diff, limit: Int) {
    outcomes.append(diff, limit: limit)
    sent = outcomes.last
  }

  /// Records the outcome of the next operation, which made no diff.
  mutating func record(_ outcome: Outcome, limit: Int) {
    outcomes.append(outcome, limit: limit)
    endRetry()
  }

  /// Ends a retry, unless its author has yet to receive that later operations were not judged.
  private mutating func endRetry() {
    if let retry, retry.isUnsent, retry.through > outcomes.last { return }
    retry = nil
  }

  // MARK: Operations to be sent again

  /// Notes that an operation cannot be judged now.
  mutating func postpone(_ sequence: SequenceNumber, _ refusal: Refusal) {
    let unsent = retry.flatMap { $0.isUnsent ? $0.through : nil } ?? sequence
    retry = Retry(refusal: refusal, through: max(sequence, unsent), sent: outcomes.last)
  }

  /// Includes a later operation in the retry that is under way.
  mutating func extendRetry(through sequence: SequenceNumber) {
    if let through = retry?.through { retry?.through = max(through, sequence) }
  }

  /// Notes that the author was sent the answer to an operation that is to be sent again.
  mutating func markRetrySent(_ sequence: SequenceNumber) { retry?.sent = sequence }

  // MARK: Answers that went out

  /// Notes that the answers up to this operation went out.
  mutating func markSent(_ sequence: SequenceNumber) { sent = max(sent, sequence) }

  /// Notes that the answer to this operation and to all later ones has to go out again.
  mutating func markUnsent(_ sequence: SequenceNumber) {
    sent = min(sent, SequenceNumber(rawValue: sequence.rawValue - 1))
  }

  /// Begins on a new connection: its client sends again what it has no answer to, so nothing is outstanding.
  mutating func resume() {
    sent = outcomes.last
    retry = nil
  }
}
