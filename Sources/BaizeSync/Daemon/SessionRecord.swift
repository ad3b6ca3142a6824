import BaizeTable
import BaizeWire

/// What the table keeps of one participant, whether it is connected or not.
struct SessionRecord: Sendable {
  let id: SessionID
  var name: String
  var seat: SeatNumber
  /// What the client presents to come back. The one before stays valid until something arrives on the connection that got
  /// the new one, in case the welcome was lost.
  var token: ResumeToken
  var previousToken: ResumeToken?
  var outcomes = RecordedOutcomes()
  var memory = AuthorMemory()
  /// While set, an operation was not judged, and every one up to this number gets the same answer until it comes again.
  var retrying: Retrying?
  var rate = RateLimit()
  /// The last answer that went out on the present connection, or stands in the snapshot that did.
  var answered = SequenceNumber.zero
  var drag: Drag?
  var dragRate = RateLimit()
  var isConnected = true
  /// When the connection was lost.
  var lost = Instant(nanoseconds: 0)

  struct Retrying: Sendable {
    var refusal: Refusal
    var through: SequenceNumber
  }
}

/// The answers to a session's last operations, so that one that comes again is answered and not judged again.
struct RecordedOutcomes: Sendable {
  private struct Record: Sendable {
    var revision: Revision
    var verdict: Verdict
    var refusal: RefusalBox?
  }

  /// Refusals are rare and large; records are many.
  private final class RefusalBox: Sendable {
    let refusal: Refusal
    init(_ refusal: Refusal) { self.refusal = refusal }
  }

  /// The last operation that was judged.
  private(set) var last = SequenceNumber.zero
  /// A ring: the record of operation n is at n modulo its size, once it is full.
  private var records: [Record] = []

  /// Notes the answer to the operation after ``last``.
  ///
  /// - Parameters:
  ///   - verdict: `.duplicate` for an accepted one: that is the answer if it comes again.
  ///   - limit: How many answers are kept.
  mutating func append(_ verdict: Verdict, _ refusal: Refusal?, at revision: Revision, limit: Int) {
    last = last.next
    let record = Record(revision: revision, verdict: verdict, refusal: refusal.map(RefusalBox.init))
    if records.count < limit {
      records.append(record)
    } else {
      records[place(of: last)] = record
    }
  }

  /// The answer to an operation judged before; one that is too old to be remembered counts as accepted, at revision 0.
  func outcome(of sequence: SequenceNumber) -> Outcome {
    let age = last.rawValue - sequence.rawValue
    guard age < UInt64(records.count) else {
      return Outcome(sequence: sequence, verdict: .duplicate, revision: .zero)
    }
    let record = records[place(of: sequence)]
    return Outcome(
      sequence: sequence, verdict: record.verdict, refusal: record.refusal?.refusal ?? .nothing,
      revision: record.revision)
  }

  /// The first append fills place 0 with operation 1.
  private func place(of sequence: SequenceNumber) -> Int { Int((sequence.rawValue - 1) % UInt64(records.count)) }
}

/// A capability to come back to a session: the session's number and 128 bits of chance.
struct ResumeToken: Sendable {
  let bytes: [UInt8]

  init(session: SessionID, random: inout RandomSource) {
    var bytes: [UInt8] = []
    for word in [session.rawValue, random.next(), random.next()] {
      for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
    }
    self.bytes = bytes
  }

  /// Which session a token claims to be for.
  static func session(of token: [UInt8]) -> SessionID? {
    guard token.count == 24 else { return nil }
    return SessionID(rawValue: token[..<8].reversed().reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// Compares in a time that does not depend on where the two differ.
  func matches(_ other: [UInt8]) -> Bool {
    guard other.count == bytes.count else { return false }
    var difference: UInt8 = 0
    for position in bytes.indices { difference |= bytes[position] ^ other[position] }
    return difference == 0
  }
}

/// A bound on a mean rate with a burst: the generic cell rate algorithm (ITU-T I.371), which needs one number.
struct RateLimit: Sendable {
  /// When the next event would be due if all came evenly.
  private var due: UInt64 = 0

  /// Whether one more event is within the limit now; if so it is counted.
  ///
  /// - Parameters:
  ///   - perSecond: The mean; 0 for no limit.
  ///   - burst: How many may come at once.
  mutating func admits(perSecond: UInt64, burst: UInt64, at now: Instant) -> Bool {
    guard perSecond > 0 else { return true }
    let interval = 1_000_000_000 / perSecond
    let start = max(due, now.nanoseconds)
    guard start - now.nanoseconds <= interval &* max(1, burst) else { return false }
    due = start + interval
    return true
  }
}
