import BaizeTable
import Testing

@testable import BaizeSync

/// Short scripts for two or three clients, with the messages and the state that each receives. (``Script`` has the syntax.)
@Suite struct ScriptTests {
  private func expect(
    _ text: String, limits: SyncLimits = SyncLimits(), sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let transcript = Script.play(text, limits: limits)
    #expect(transcript == text, sourceLocation: sourceLocation)
  }

  /// I10: a move is visible at once, and an answer that equals the prediction changes nothing.
  @Test func aMoveIsPredictedAndConfirmed() {
    expect(
      """
      table list?items=4
      A joins
        A sees 1 2 3 4
      B joins
        B sees 1 2 3 4
      A: move 4 before 1
        A sees 4 1 2 3
      A sends
      A receives
        A: 1 accepted
      B receives
        B sees 4 1 2 3
      """)
  }

  /// I9: of two drops into the same gap, the later operation is nearer to the anchor.
  @Test func twoDropsIntoOneGap() {
    expect(
      """
      table list?items=5
      A joins
        A sees 1 2 3 4 5
      B joins
        B sees 1 2 3 4 5
      all
      A: move 4 before 2
        A sees 1 4 2 3 5
      B: move 5 before 2
        B sees 1 5 2 3 4
      all
        A: 1 accepted
        A sees 1 4 5 2 3
        B: 1 accepted
        B sees 1 4 5 2 3
      """)
  }

  /// I10: two players take one card: the first gets it, and the other's move is undone to the card's new position.
  @Test func twoPlayersMoveOneItemFirstWins() {
    expect(
      """
      table strict
      A joins
        A sees a 1 2 3 4 | b 5 6 7 8 | c 9 10 11 12
      B joins
        B sees a 1 2 3 4 | b 5 6 7 8 | c 9 10 11 12
      all
      A: move 1 to b
        A sees a 2 3 4 | b 5 6 7 8 1 | c 9 10 11 12
      B: move 1 to c
        B sees a 2 3 4 | b 5 6 7 8 | c 9 10 11 12 1
      A sends
      B sends
      B receives
        B: 1 refused, CONTENDED
        B sees a 2 3 4 | b 5 6 7 8 1 | c 9 10 11 12
      A receives
        A: 1 accepted
      """)
  }

  /// I9: the author's own move of the anchor was refused: `then` has the gap.
  @Test func thenReplacesAMissingAnchor() {
    expect(
      """
      table strict
      A joins
        A sees a 1 2 3 4 | b 5 6 7 8 | c 9 10 11 12
      B joins
        B sees a 1 2 3 4 | b 5 6 7 8 | c 9 10 11 12
      all
      B: move 1 to b
        B sees a 2 3 4 | b 5 6 7 8 1 | c 9 10 11 12
      A: move 1 before 4
        A sees a 2 3 1 4 | b 5 6 7 8 | c 9 10 11 12
      A: move 12 before 1
        A sees a 2 3 12 1 4 | b 5 6 7 8 | c 9 10 11
      B sends
      all
        A: 1 refused, CONTENDED
        A: 2 accepted, rebased
        A sees a 2 3 12 4 | b 5 6 7 8 1 | c 9 10 11
        B: 1 accepted
        B sees a 2 3 12 4 | b 5 6 7 8 1 | c 9 10 11
      """)
  }

  /// I9: a new item is moved, copied and moved again before it has its final id.
  @Test func aProvisionalItemIsMoved() {
    expect(
      """
      table list?items=3
      A joins
        A sees 1 2 3
      B joins
        B sees 1 2 3
      all
      A: insert 9 before 1
        A sees 9 1 2 3
      A: move 9 to items
        A sees 1 2 3 9
      A: copy 9 before 2
        A sees 1 9' 2 3 9
      A: move 9' before 1
        A sees 9' 1 2 3 9
      A sends 2
      A receives
        A: 1 accepted
        A: 2 accepted
      B receives
        B sees 1 2 3 9
      all
        A: 3 accepted
        A: 4 accepted
        B sees 9' 1 2 3 9
      """)
  }

  /// I10: operations that depend on a refused one are refused, and others are accepted.
  @Test func anOperationThatDependsOnARefusal() {
    expect(
      """
      table sorter
      A joins
        A sees any 1 2 3 4 5 6 | limited 7 8 | start 9 10 | end 11 12 | endOnly 13 14
      B joins
        B sees any 1 2 3 4 5 6 | limited 7 8 | start 9 10 | end 11 12 | endOnly 13 14
      all
      B: insert 30 31 to limited
        B sees any 1 2 3 4 5 6 | limited 7 8 30 31 | start 9 10 | end 11 12 | endOnly 13 14
      A: insert 20 before 8
        A sees any 1 2 3 4 5 6 | limited 7 20 8 | start 9 10 | end 11 12 | endOnly 13 14
      A: move 20 before 2
        A sees any 1 20 2 3 4 5 6 | limited 7 8 | start 9 10 | end 11 12 | endOnly 13 14
      A: move 6 before 1
        A sees any 6 1 20 2 3 4 5 | limited 7 8 | start 9 10 | end 11 12 | endOnly 13 14
      B sends
      all
        A: 1 refused, CAPACITY_EXCEEDED
        A: 2 refused, DEPENDS_ON_REFUSED
        A: 3 accepted
        A sees any 6 1 2 3 4 5 | limited 7 8 30 31 | start 9 10 | end 11 12 | endOnly 13 14
        B: 1 accepted
        B sees any 6 1 2 3 4 5 | limited 7 8 30 31 | start 9 10 | end 11 12 | endOnly 13 14
      """)
  }

  /// A part of a block is accepted where the rules allow it; the rest stays where it was.
  @Test func partOfABlockIsAccepted() {
    expect(
      """
      table kanban?cards=5
      A joins
        A sees todo 1 2 3 4 5
      B joins
        B sees todo 1 2 3 4 5
      all
      B: move 5 to doing
        B sees todo 1 2 3 4 | doing 5
      A: move 1 2 3 to doing
        A sees todo 4 5 | doing 1 2 3
      B sends
      all
        A: 1 accepted
        A sees todo 3 4 | doing 5 1 2
        B: 1 accepted
        B sees todo 3 4 | doing 5 1 2
      """)
  }

  /// I3: the answers are lost with the connection; operations that are sent again get the same answer and are done once.
  @Test func lostAnswersAreSentAgain() {
    expect(
      """
      table list?items=4
      A joins
        A sees 1 2 3 4
      B joins
        B sees 1 2 3 4
      A: move 4 before 1
        A sees 4 1 2 3
      A: move 9 before 1
        A predicts UNKNOWN_ITEM
      A: move 3 before 1
        A sees 4 3 1 2
      A sends 2
      A leaves
      A returns
      A receives
        A: 1 accepted before, at revision 3
        A: 2 refused, UNKNOWN_ITEM
        A: 3 accepted
      B receives
        B sees 4 3 1 2
      """)
  }

  /// I3: operations over the rate are sent again, in order.
  @Test func operationsOverTheRateGetRetry() {
    var limits = SyncLimits()
    limits.sessions.operationsPerSecondMax = 1
    limits.sessions.operationsBurstMax = 1
    expect(
      """
      table list?items=4
      A joins
        A sees 1 2 3 4
      A: move 4 before 1
        A sees 4 1 2 3
      A: move 3 before 1
        A sees 4 3 1 2
      A: move 2 before 1
        A sees 4 3 2 1
      A sends
      A receives
        A: 1 accepted
        A: 2 accepted
        A: 3 retry, RATE_LIMITED
      later
      A again
      A sends
      A receives
        A: 3 accepted
      """, limits: limits)
  }

  /// I3: two players draw at once, and one card is drawn.
  @Test func twoPlayersDraw() {
    expect(
      """
      table bag
      A joins
        A sees hand 5 12 4 10 8 | bag ? ? ? ? | row ? ? ? ? 6
      B joins
        B sees hand 5 12 4 10 8 | bag ? ? ? ? | row ? ? ? ? 6
      all
      A: take
        A sees hand 5 12 4 10 8 ? | bag ? ? ? | row ? ? ? ? 6
      B: take
        B sees hand 5 12 4 10 8 ? | bag ? ? ? | row ? ? ? ? 6
      all
        A: 1 accepted
        A sees hand 5 12 4 10 8 7 | bag ? ? ? | row ? ? ? ? 6
        B: 1 refused, CONTENDED
        B sees hand 5 12 4 10 8 7 | bag ? ? ? | row ? ? ? ? 6
      """)
  }

  /// A spectator sees everything, and all its operations are refused.
  @Test func aSpectatorOnlyWatches() {
    expect(
      """
      table list?items=3
      A joins
        A sees 1 2 3
      S joins as spectator
        S sees 1 2 3
      S: move 3 before 1
        S predicts PERMISSION_DENIED
      A: move 2 before 1
        A sees 2 1 3
      all
        A: 1 accepted
        S: 1 refused, PERMISSION_DENIED
        S sees 2 1 3
      """)
  }
}
