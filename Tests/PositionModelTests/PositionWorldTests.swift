import TestSupport
import Testing

@testable import PositionModel

/// The rules of positions, searched: people who type, drop, remove and undo at once.
@Suite(.dedicatedThreads) struct PositionWorldTests {
  @Test(arguments: PositionWorld.Settings.situations.map(\.name))
  func `I9: order, runs, away and prediction hold, and clients converge`(situation: String) throws {
    let settings = try #require(PositionWorld.Settings.situations.first { $0.name == situation }).settings
    for seed in 1...LongForm.count(25, long: 2_000) as ClosedRange<UInt64> {
      var world = PositionWorld(seed: seed, settings)
      #expect(world.run() == [], "seed \(seed)")
    }
  }

  @Test(arguments: ModelFault.allCases)
  func `I9: the search finds each injected fault`(fault: ModelFault) {
    let found = (1...200 as ClosedRange<UInt64>).contains { seed in
      PositionWorld.Settings.situations.contains { situation in
        var world = PositionWorld(seed: seed, situation.settings, fault: fault)
        return !world.run().isEmpty
      }
    }
    #expect(found)
  }
}
