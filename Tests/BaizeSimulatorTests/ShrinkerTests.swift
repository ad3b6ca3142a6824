import BaizeSimulator
import TestSupport
import Testing

/// The shrinker reduces a failing script to the steps that it needs.
@Suite(.dedicatedThreads) struct ShrinkerTests {
  /// Some failures need many steps, such as a snapshot in a dozen parts, but not all of them.
  @Test(arguments: [FrameFault.dropDiff, .misplaceMove, .swallowAnswer])
  func `a failing script is shortened and still fails`(frameFault: FrameFault) throws {
    let scripts = (1...100 as ClosedRange<UInt64>).lazy.map { World(.mixed, seed: $0, frameFault: frameFault) }
      .filter { $0.failure(of: []) != nil && $0.steps.count > 100 }.map(\.script).prefix(LongForm.count(1, long: 4))
    var lengths: [Int] = []
    for script in scripts {
      let failure = try #require(script.failure())
      let shortened = Shrinker.shortened(script, failure)
      #expect(shortened.script.steps.count <= script.steps.count / 3)
      #expect(shortened.failure.invariant == failure.invariant)
      #expect(shortened.script.failure() == shortened.failure)
      lengths.append(shortened.script.steps.count)
    }
    let shortest = try #require(lengths.min())
    #expect(lengths.count == LongForm.count(1, long: 4) && shortest <= 20, "\(lengths)")
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
