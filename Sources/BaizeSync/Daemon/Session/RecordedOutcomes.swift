import BaizeTable
import BaizeWire

/// The outcomes of a session's last operations. An operation that is sent again gets its outcome and is not judged again.
struct RecordedOutcomes: Sendable {
  private struct Record: Sendable {
    var revision: Revision
    var verdict: Verdict
    var rest: Rest?
  }

  /// The data that few outcomes have, kept apart since there are many records.
  private final class Rest: Sendable {
    let outcome: Outcome
    init(_ outcome: Outcome) { self.outcome = outcome }
  }

  /// The last operation that was judged.
  private(set) var last: SequenceNumber
  /// A ring buffer: the record of operation n is at n - ``first`` modulo its size, once it is full.
  private var records: [Record] = []
  /// The operation whose record was the first one at index 0.
  private var first: SequenceNumber

  /// Creates a record in which no outcome up to `last` is known.
  init(after last: SequenceNumber = .zero) {
    self.last = last
    first = last.next
  }

  /// Records the outcome of the operation after ``last``, as it is sent if that operation is sent again.
  ///
  /// - Parameter limit: The number of outcomes that are kept.
  mutating func append(_ outcome: Outcome, limit: Int) {
    let hasRest =
      outcome.refusal != .nothing || !outcome.minted.isEmpty || outcome.isRedirected || !outcome.invite.isEmpty
    append(
      Record(revision: outcome.revision, verdict: outcome.verdict, rest: hasRest ? Rest(outcome) : nil), limit: limit)
  }

  /// Records that the operation after ``last`` was accepted. If it is sent again, its outcome has the new ids and flags of
  /// the diff.
  @inline(__always) mutating func append(_ diff: Diff, limit: Int) {
    guard diff.minted.isEmpty, !diff.isRedirected else { return appendWhole(diff, limit: limit) }
    append(Record(revision: diff.revision, verdict: .duplicate), limit: limit)
  }

  private mutating func appendWhole(_ diff: Diff, limit: Int) {
    append(
      Outcome(
        sequence: diff.sequence, verdict: .duplicate, revision: diff.revision, minted: diff.minted,
        isRedirected: diff.isRedirected), limit: limit)
  }

  private mutating func append(_ record: Record, limit: Int) {
    last = last.next
    if records.count < limit {
      records.append(record)
    } else {
      records[index(of: last)] = record
    }
  }

  /// Returns the outcome of an operation judged before; one that is no longer recorded counts as accepted, at revision 0.
  func outcome(of sequence: SequenceNumber) -> Outcome {
    let age = last.rawValue - sequence.rawValue
    guard age < UInt64(records.count) else {
      return Outcome(sequence: sequence, verdict: .duplicate, revision: .zero)
    }
    let record = records[index(of: sequence)]
    return record.rest?.outcome ?? Outcome(sequence: sequence, verdict: record.verdict, revision: record.revision)
  }

  /// Returns these outcomes reduced to the last `count`.
  func suffix(_ count: Int) -> RecordedOutcomes {
    guard records.count > count else { return self }
    let kept = remembered.suffix(count)
    var copy = RecordedOutcomes(after: SequenceNumber(rawValue: last.rawValue - UInt64(kept.count)))
    for outcome in kept { copy.append(outcome, limit: count) }
    return copy
  }

  /// The recorded outcomes, oldest first.
  var remembered: [Outcome] {
    (0..<UInt64(records.count)).reversed().map { outcome(of: SequenceNumber(rawValue: last.rawValue - $0)) }
  }

  private func index(of sequence: SequenceNumber) -> Int {
    Int((sequence.rawValue - first.rawValue) % UInt64(records.count))
  }
}
