import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// The outcomes that a session's last operations are answered with again.
@Suite struct RecordedOutcomesTests {
  /// The limit rises as it does when a table is restored by a daemon with a higher one.
  @Test(arguments: [(first: 1, second: 1), (first: 5, second: 5), (first: 5, second: 12)], [UInt64.max, 1, 4])
  func `the last outcomes are known, whatever they contain and wherever the ring buffer begins`(
    _ limits: (first: Int, second: Int), packedEvery interval: UInt64
  ) {
    let (first, second) = limits
    var outcomes = RecordedOutcomes()
    var all: [Outcome] = []
    for number in 1...60 as ClosedRange<UInt64> {
      let limit = number < 23 ? first : second
      let sequence = SequenceNumber(rawValue: number)
      let revision = Revision(rawValue: 10 * number)
      if number % 3 == 0 {
        all.append(
          Outcome(
            sequence: sequence, verdict: .refused, refusal: Refusal(.contended, detail: "\(number)"),
            revision: revision))
        outcomes.append(all[all.count - 1], limit: limit)
      } else {
        all.append(Outcome(sequence: sequence, verdict: .duplicate, revision: revision))
        outcomes.append(Diff(revision: revision, author: .daemon, sequence: sequence), limit: limit)
      }
      if number % interval == 0 { outcomes.pack() }
      #expect(outcomes.last == sequence)
      let known = outcomes.remembered
      #expect(known == Array(all.suffix(known.count)) && known.count >= min(all.count, first))
      #expect(known.count <= limit && outcomes.suffix(3).remembered == Array(known.suffix(3)))
      #expect(all.suffix(known.count).allSatisfy { outcomes.outcome(of: $0.sequence) == $0 })
      var encoded = ByteWriter()
      outcomes.encode(3, into: &encoded)
      var expected = ByteWriter()
      for outcome in known { expected.message(3) { outcome.encode(into: &$0) } }
      #expect(encoded.withUnsafeBytes { Array($0) } == expected.withUnsafeBytes { Array($0) })
    }
    #expect(outcomes.remembered.count == second)
  }

  /// I11: a client that only sends its old operations again would otherwise have all outcomes decoded for each of them.
  @Test func `a session that resumes has its outcomes at hand`() {
    var answers = Answers()
    for number in 1...256 as ClosedRange<UInt64> {
      let sequence = SequenceNumber(rawValue: number)
      answers.record(
        Outcome(sequence: sequence, verdict: .refused, refusal: Refusal(.contended), revision: .zero), limit: 256)
    }
    let whole = answers.memoryBytes
    answers.pack()
    #expect(!answers.wantsPacking && answers.memoryBytes < whole / 2)
    answers.resume()
    #expect(answers.wantsPacking)
    #expect(answers.outcomes.outcome(of: SequenceNumber(rawValue: 1)).refusal == Refusal(.contended))
  }

  /// I8: 81 KiB for 4 KiB sent were kept for two days.
  @Test func `the refusals of a session that has left take little more than what was answered`() {
    var outcomes = RecordedOutcomes()
    for number in 1...256 as ClosedRange<UInt64> {
      let refusal = Refusal(.contended, rule: "collections[0].accept", detail: "another moved item \(number) meanwhile")
      outcomes.append(
        Outcome(
          sequence: SequenceNumber(rawValue: number), verdict: .refused, refusal: refusal,
          revision: Revision(rawValue: 1)), limit: 256)
    }
    let before = outcomes.memoryBytes
    outcomes.pack()
    #expect(outcomes.memoryBytes < 32 << 10 && outcomes.memoryBytes < before / 2, "\(before), \(outcomes.memoryBytes)")
  }
}
