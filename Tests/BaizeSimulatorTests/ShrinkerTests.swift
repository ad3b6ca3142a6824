import BaizeSimulator
import TestSupport
import Testing

/// What fails is shortened to what it takes.
@Suite(.aside) struct ShrinkerTests {
  @Test(arguments: [Sabotage.dropDiff, .misplaceMove, .swallowAnswer])
  func `a failure gets short and stays a failure`(sabotage: Sabotage) throws {
    let world = try #require(
      (1...50 as ClosedRange<UInt64>).lazy.map { World(kind: .mixed, seed: $0, sabotage: sabotage) }
        .first { $0.failure(of: []) != nil && $0.steps.count > 100 })
    let script = world.script
    let failure = try #require(script.failure())
    let shortened = Shrinker.shortened(script, failure)
    #expect(shortened.script.steps.count <= 20)
    #expect(shortened.failure.invariant == failure.invariant)
    #expect(shortened.script.failure() == shortened.failure)
  }

  @Test func `a bound on the tries is kept`() throws {
    let world = try #require(
      (1...50 as ClosedRange<UInt64>).lazy.map { World(kind: .lossy, seed: $0, sabotage: .dropDiff) }
        .first { $0.failure(of: []) != nil })
    var shrinker = Shrinker(world.script, try #require(world.script.failure()), triesMax: 10)
    shrinker.run()
    #expect(shrinker.tries == 10 && shrinker.script.failure()?.invariant == "I2")
  }
}
