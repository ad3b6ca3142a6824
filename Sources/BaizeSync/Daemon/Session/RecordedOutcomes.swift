import BaizeTable
import BaizeWire

/// The outcomes of a session's last operations. An operation that is sent again gets its outcome and is not judged again.
struct RecordedOutcomes: Sendable {
  private struct Record: Sendable {
    var revision: Revision
    var verdict: Verdict
    /// Whether the complete outcome is in ``whole``.
    var hasMore = false
  }

  /// The last operation that was judged.
  private(set) var last: SequenceNumber
  /// A ring buffer, once it is full.
  private var records: [Record] = []
  /// The index of the oldest record, which is the next to be replaced.
  private var oldest = 0
  /// The outcomes with more data than a record has: few, while there are many records.
  private var whole: [SequenceNumber: Outcome] = [:]
  /// The same outcomes, encoded, of a session that has left, or while memory is short: a fraction of the memory. Those that are
  /// no longer recorded may still be among them.
  private var packed: [UInt8] = []
  private var packedCount = 0

  /// Creates a record in which no outcome up to `last` is known.
  init(after last: SequenceNumber = .zero) { self.last = last }

  /// Records the outcome of the operation after ``last``, as it is sent if that operation is sent again.
  ///
  /// - Parameter limit: The number of outcomes that are kept.
  mutating func append(_ outcome: Outcome, limit: Int) {
    let hasRest =
      outcome.refusal != .nothing || !outcome.minted.isEmpty || outcome.isRedirected || !outcome.invite.isEmpty
    append(Record(revision: outcome.revision, verdict: outcome.verdict, hasMore: hasRest), limit: limit)
    guard hasRest else { return }
    if !packed.isEmpty, packedCount < 2 * records.count { return pack(outcome) }
    unpack()
    whole[last] = outcome
  }

  /// Records that the operation after ``last`` was accepted.
  @inline(__always) mutating func append(_ move: SingleMoveDiff, limit: Int) {
    if move.isRedirected {
      append(
        Outcome(sequence: move.sequence, verdict: .duplicate, revision: move.revision, isRedirected: true),
        limit: limit)
    } else {
      append(Record(revision: move.revision, verdict: .duplicate), limit: limit)
    }
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

  @inline(__always) private mutating func append(_ record: Record, limit: Int) {
    last = last.next
    guard records.count >= limit else { return add(record) }
    if records[oldest].hasMore { whole[SequenceNumber(rawValue: last.rawValue - UInt64(records.count))] = nil }
    records[oldest] = record
    oldest += 1
    if oldest == records.count { oldest = 0 }
  }

  private mutating func add(_ record: Record) {
    // The limit was lower before.
    if oldest > 0 { (records, oldest) = (Array(records[oldest...] + records[..<oldest]), 0) }
    records.append(record)
  }

  /// Returns the outcome of an operation judged before; one that is no longer recorded counts as accepted, at revision 0.
  func outcome(of sequence: SequenceNumber) -> Outcome {
    recorded(sequence) ?? Outcome(sequence: sequence, verdict: .duplicate, revision: .zero)
  }

  /// Returns the outcome of an operation judged before; `nil` if it is no longer recorded.
  func recorded(_ sequence: SequenceNumber) -> Outcome? {
    guard last.rawValue - sequence.rawValue < UInt64(records.count) else { return nil }
    let record = records[index(of: sequence)]
    if record.hasMore, let outcome = whole[sequence] ?? packedOutcomes[sequence] { return outcome }
    return Outcome(sequence: sequence, verdict: record.verdict, revision: record.revision)
  }

  // MARK: Memory

  /// The approximate memory of the outcomes, in bytes.
  var memoryBytes: Int {
    records.capacity * MemoryLayout<Record>.stride + whole.capacity * Self.wholeBytes + packed.capacity
  }

  /// An outcome in the dictionary, with its texts.
  private static let wholeBytes = MemoryLayout<(SequenceNumber, Outcome)>.stride * 4 / 3 + 64

  /// Whether packing would return memory.
  var hasWhole: Bool { !whole.isEmpty }

  /// Encodes the outcomes, for less memory while the session is absent. Each lookup then decodes all of them.
  mutating func pack() {
    guard !whole.isEmpty else { return }
    let oldest = last.rawValue - UInt64(records.count)
    var writer = ByteWriter(capacity: 64 * whole.count)
    for (sequence, outcome) in whole.sorted(by: { $0.key < $1.key }) where sequence.rawValue > oldest {
      writer.message(1) { outcome.encode(into: &$0) }
    }
    packed = writer.withUnsafeBytes { Array($0) }
    packedCount = whole.count
    whole = [:]
    records = records.map(\.self)
  }

  /// Appends the last outcome to the packed ones.
  private mutating func pack(_ outcome: Outcome) {
    var writer = ByteWriter(capacity: 64)
    writer.message(1) { outcome.encode(into: &$0) }
    writer.withUnsafeBytes { packed.append(contentsOf: $0) }
    packedCount += 1
  }

  /// Decodes packed outcomes, for lookups in constant time.
  ///
  /// - Returns: The number of bytes that were decoded.
  @discardableResult
  mutating func unpack() -> Int {
    guard !packed.isEmpty else { return 0 }
    let oldest = last.rawValue - UInt64(records.count)
    let bytes = packed.count
    whole = packedOutcomes.filter { $0.key.rawValue > oldest }
    (packed, packedCount) = ([], 0)
    return bytes
  }

  private var unpacked: RecordedOutcomes {
    var copy = self
    copy.unpack()
    return copy
  }

  private var packedOutcomes: [SequenceNumber: Outcome] {
    guard !packed.isEmpty else { return [:] }
    do {
      return try packed.withUnsafeBytes { bytes in
        var outcomes: [SequenceNumber: Outcome] = [:]
        var reader = ByteReader(bytes)
        while let field = try reader.nextField() {
          let outcome = try Outcome(reader.message(field))
          outcomes[outcome.sequence] = outcome
        }
        return outcomes
      }
    } catch {
      preconditionFailure("\(packed.count) bytes of packed outcomes cannot be read: \(error)")
    }
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
    guard packed.isEmpty else { return unpacked.remembered }
    return (0..<UInt64(records.count)).reversed().map { outcome(of: SequenceNumber(rawValue: last.rawValue - $0)) }
  }

  /// Encodes the recorded outcomes, oldest first, as messages of a field.
  func encode(_ field: UInt8, into writer: inout ByteWriter) {
    guard packed.isEmpty else { return unpacked.encode(field, into: &writer) }
    var sequence = last.rawValue - UInt64(records.count)
    for offset in records.indices {
      sequence += 1
      let index = oldest + offset
      let record = records[index < records.count ? index : index - records.count]
      writer.message(field) {
        if record.hasMore, let outcome = whole[SequenceNumber(rawValue: sequence)] {
          outcome.encode(into: &$0)
        } else {
          Outcome.encode(SequenceNumber(rawValue: sequence), record.verdict, record.revision, into: &$0)
        }
      }
    }
  }

  private func index(of sequence: SequenceNumber) -> Int {
    (oldest + records.count - 1 - Int(last.rawValue - sequence.rawValue)) % records.count
  }
}
