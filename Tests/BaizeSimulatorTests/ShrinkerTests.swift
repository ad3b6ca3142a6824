import BaizeSimulator
import TestSupport
import Testing

/// The shrinker reduces a failing script to steps that are all needed.
@Suite(.dedicatedThreads) struct ShrinkerTests {
  /// Some failures need many steps, such as a snapshot in a dozen parts, but not all of them.
  @Test(arguments: [FrameFault.dropDiff, .misplaceMove, .swallowAnswer])
  func `a failing script is shortened and still fails`(frameFault: FrameFault) throws {
    let scripts = (1...100 as ClosedRange<UInt64>).lazy.map { World(.mixed, seed: $0, frameFault: frameFault) }
      .filter { $0.failure(of: []) != nil && $0.steps.count > 100 }.map(\.script).prefix(LongForm.count(1, long: 4))
    var number = 0
    for script in scripts {
      let failure = try #require(script.failure())
      let shortened = Shrinker.shortened(script, failure)
      #expect(shortened.script.steps.count <= script.steps.count / 3)
      #expect(shortened.failure.invariant == failure.invariant)
      #expect(shortened.script.failure() == shortened.failure)
      for index in shortened.script.steps.indices {
        var shorter = shortened.script
        shorter.steps.remove(at: index)
        #expect(shorter.failure()?.invariant != failure.invariant, "\(shortened.script.steps[index]) can be dropped")
      }
      number += 1
    }
    #expect(number == LongForm.count(1, long: 4))
  }

  @Test func `the number of attempts is bounded`() throws {
    let world = try #require(
      (1...50 as ClosedRange<UInt64>).lazy.map { World(.lossy, seed: $0, frameFault: .dropDiff) }
        .first { $0.failure(of: []) != nil })
    let failure = try #require(world.script.failure())
    var shrinker = Shrinker(world.script, failure, triesMax: 10)
    shrinker.run()
    #expect(shrinker.tries == 10 && shrinker.script.failure()?.invariant == failure.invariant)
  }
}
