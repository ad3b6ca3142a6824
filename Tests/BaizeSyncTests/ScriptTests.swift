import BaizeTable
import Testing

@testable import BaizeSync

/// Short scripts for two or three clients, with the messages and the state that each receives. (``Script`` has the syntax.)
@Suite struct ScriptTests {
  private func expect(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let transcript = Script.play(text)
    #expect(transcript == text, sourceLocation: sourceLocation)
  }

  @Test func `I9: of two drops into the same gap, the later operation is nearer to the anchor`() {
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

  @Test func `I9: a new item is moved, copied and moved again before it has its final id`() {
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

  @Test func `I10: operations that depend on a refused one are refused, and others are accepted`() {
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

  @Test func `I3: two players draw at once, and one card is drawn`() {
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
}
