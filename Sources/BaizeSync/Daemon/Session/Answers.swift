import BaizeTable
import BaizeWire

/// The answers to one session's operations: the outcomes of judged ones, the retry for postponed ones, and which answers
/// were sent.
struct Answers: Sendable {
  private(set) var outcomes = RecordedOutcomes()
  /// The retry in progress: an operation was not judged, and all operations up to ``Retry/through`` get the same answer until
  /// the first of them is sent again.
  @Rare private(set) var retry: Retry?
  /// The last answer that was sent on the present connection, or that the snapshot sent on it contains.
  private(set) var sent = SequenceNumber.zero

  struct Retry: Sendable {
    var refusal: Refusal
    /// The last operation that gets this answer.
    var through: SequenceNumber
    /// The last operation for which it was sent. It is sent once only, since each one makes the client send again.
    var sent: SequenceNumber

    var isUnsent: Bool { sent < through }
  }

  init(_ outcomes: RecordedOutcomes = RecordedOutcomes()) { self.outcomes = outcomes }

  var memoryBytes: Int { outcomes.memoryBytes }

  /// Whether packing would return memory.
  var wantsPacking: Bool { outcomes.hasWhole }

  /// Takes less memory until the session resumes, or needs an earlier answer.
  mutating func pack() { outcomes.pack() }

  /// Makes earlier answers fast to find again.
  ///
  /// - Returns: The number of bytes that were decoded.
  @discardableResult
  mutating func unpack() -> Int { outcomes.unpack() }

  /// The last operation that was judged.
  var last: SequenceNumber { outcomes.last }
  /// The number of judged operations whose answers were not sent.
  var unsentCount: UInt64 { outcomes.last.rawValue - sent.rawValue }

  // MARK: Judged operations

  /// Records that the next operation was accepted, with a diff.
  @inline(__always) mutating func record(_ diff: Diff, limit: Int) {
    outcomes.append(diff, limit: limit)
    if $retry.isPresent { endRetry() }
  }

  /// Returns whether an operation is the next one, and no retry is under way.
  @inline(__always) func isNext(_ sequence: SequenceNumber) -> Bool { sequence == last.next && !$retry.isPresent }

  /// Records that the next operation has a diff, which its author receives in this turn.
  @inline(__always) mutating func recordSent(_ move: SingleMoveDiff, limit: Int) {
    outcomes.append(move, limit: limit)
    sent = outcomes.last
  }

  /// Records the outcome of the next operation, which has no diff.
  mutating func record(_ outcome: Outcome, limit: Int) {
    outcomes.append(outcome, limit: limit)
    endRetry()
  }

  /// Ends a retry, unless its answers for later operations have yet to be sent.
  private mutating func endRetry() {
    if let retry, retry.isUnsent, retry.through > outcomes.last { return }
    retry = nil
  }

  // MARK: Retries

  /// Begins a retry: an operation cannot be judged now.
  mutating func postpone(_ sequence: SequenceNumber, _ refusal: Refusal) {
    let unsent = retry.flatMap { $0.isUnsent ? $0.through : nil } ?? sequence
    retry = Retry(refusal: refusal, through: max(sequence, unsent), sent: outcomes.last)
  }

  /// Includes a later operation in the retry in progress.
  mutating func extendRetry(through sequence: SequenceNumber) {
    if let through = retry?.through { retry?.through = max(through, sequence) }
  }

  /// Notes that the retry for an operation was sent.
  mutating func markRetrySent(_ sequence: SequenceNumber) { retry?.sent = sequence }

  // MARK: Sent answers

  /// Notes that the answers up to this operation were sent.
  mutating func markSent(_ sequence: SequenceNumber) { sent = max(sent, sequence) }

  /// Notes that the answers to this operation and to all later ones have to be sent again.
  mutating func markUnsent(_ sequence: SequenceNumber) {
    sent = min(sent, SequenceNumber(rawValue: sequence.rawValue - 1))
  }

  /// Begins on a new connection. Its client sends all unacknowledged operations again, so that no answer is outstanding.
  mutating func resume() {
    outcomes.unpack()
    sent = outcomes.last
    retry = nil
  }
}
