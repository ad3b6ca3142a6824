import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// The sequence numbers of one session, without a table (I3).
@Suite struct AnswersTests {
  private static func outcome(_ number: UInt64) -> Outcome {
    Outcome(
      sequence: SequenceNumber(rawValue: number), verdict: .refused, refusal: Refusal(.contended),
      revision: Revision(rawValue: number))
  }

  private static func number(_ number: UInt64) -> SequenceNumber { SequenceNumber(rawValue: number) }

  @Test func `outcomes are kept up to the limit and restored unchanged`() {
    var answers = Answers()
    for number in 1...10 as ClosedRange<UInt64> { answers.record(Self.outcome(number), limit: 4) }
    #expect(answers.last == Self.number(10))
    #expect(answers.outcomes.remembered == (7...10).map(Self.outcome))
    #expect(answers.outcomes.outcome(of: Self.number(8)) == Self.outcome(8))
    #expect(answers.outcomes.outcome(of: Self.number(3)).verdict == .duplicate, "too old to be remembered")
  }

  @Test func `an accepted operation is answered as a duplicate with what its author needs`() {
    var answers = Answers()
    let made: ItemList = [ItemID(rawValue: 7)]
    var diff = Diff(revision: Revision(rawValue: 5), author: SessionID(rawValue: 1), sequence: Self.number(1))
    answers.record(diff, limit: 4)
    diff.minted = made
    diff.sequence = Self.number(2)
    answers.record(diff, limit: 4)
    let (first, second) = (answers.outcomes.outcome(of: Self.number(1)), answers.outcomes.outcome(of: Self.number(2)))
    #expect(first.verdict == .duplicate && first.revision == diff.revision && first.minted.isEmpty)
    #expect(second.verdict == .duplicate && second.minted == made)
  }

  @Test func `a retry is repeated until it was sent for every postponed operation`() {
    var answers = Answers()
    answers.postpone(Self.number(1), Refusal(.storage))
    answers.extendRetry(through: Self.number(3))
    #expect(answers.retry?.through == Self.number(3) && answers.retry?.isUnsent == true)
    answers.record(Self.outcome(1), limit: 4)
    #expect(answers.retry != nil, "operations 2 and 3 were not judged either, and the author does not know")
    answers.markRetrySent(Self.number(3))
    answers.record(Self.outcome(2), limit: 4)
    #expect(answers.retry == nil)
  }

  @Test func `answers are sent once until one is marked unsent or the connection changes`() {
    var answers = Answers()
    for number in 1...5 as ClosedRange<UInt64> { answers.record(Self.outcome(number), limit: 8) }
    answers.markSent(Self.number(4))
    answers.markSent(Self.number(2))
    #expect(answers.sent == Self.number(4) && answers.unsentCount == 1)
    answers.markUnsent(Self.number(3))
    #expect(answers.sent == Self.number(2) && answers.unsentCount == 3)
    answers.postpone(Self.number(6), Refusal(.storage))
    answers.resume()
    #expect(answers.sent == Self.number(5) && answers.unsentCount == 0 && answers.retry == nil)
  }
}
