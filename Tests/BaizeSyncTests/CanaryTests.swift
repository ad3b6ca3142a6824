import BaizeTable
import Testing

/// A checker that never complains proves nothing: here something is wrong each time, and it has to say so.
@Suite struct CanaryTests {
  /// One wrong in each world; the worlds in which it came about are the ones that count.
  private func run(_ sabotage: Sabotage, type: String) -> (done: Int, broken: [String]) {
    var done = 0
    var broken: [String] = []
    for seed in 1...15 as ClosedRange<UInt64> {
      let world = World(
        World.Configuration(tableType: type, operationsPerClient: 8...12, sabotage: sabotage), seed: seed)
      do {
        try world.run()
      } catch let error as World.Broken {
        broken.append(error.invariant)
      } catch {
        Issue.record("\(error)")
      }
      if world.isSabotaged { done += 1 }
    }
    return (done, broken)
  }

  /// I2: a diff that is lost or comes twice is a gap, every time.
  @Test(arguments: [Sabotage.dropDiff, .repeatDiff])
  func aGapIsSeen(sabotage: Sabotage) {
    let (done, broken) = run(sabotage, type: "grid")
    #expect(done == 15 && broken == Array(repeating: "I2", count: done))
  }

  /// I1: a replica that rebases a move to another place is another table.
  @Test func aMisplacedMoveIsSeen() {
    let (done, broken) = run(.misplaceMove, type: "list?items=9")
    #expect(done > 5 && broken.count == done && broken.contains("I1"))
  }

  /// I9, I10: a daemon that rebases a drop to another gap is found out although all replicas agree with it.
  @Test func aShiftedGapIsSeen() {
    let (done, broken) = run(.shiftGap, type: "grid")
    #expect(done > 5 && broken.contains("I9"))
  }

  /// I3: an operation without an answer is missed.
  @Test func silenceIsSeen() {
    let (done, broken) = run(.swallowAnswer, type: "strict")
    #expect(done > 5 && broken.count == done && broken.contains("I3"))
  }

  /// I10: a verdict that no rule gives is not what the replica foresaw.
  @Test func aWrongVerdictIsSeen() {
    let (done, broken) = run(.swapVerdict, type: "strict")
    #expect(done > 5 && broken.count == done && Set(broken) == ["I10"])
  }
}
