import TestSupport
import Testing

@testable import PositionModel

/// The rules of positions, searched: people who type, drop, remove and undo at once.
@Suite(.dedicatedThreads) struct PositionWorldTests {
  @Test(arguments: PositionSituation.all.map(\.name))
  func `I9: order, runs, away and prediction hold in the model, and clients converge`(situation: String) throws {
    try expectNoViolation(of: ModelSystem.self, in: situation, LongForm.count(2, long: 1_000))
  }

  @Test(arguments: PositionSituation.all.map(\.name))
  func `I9: the same holds for the table and its replicas, and the table judges as the model`(situation: String) throws
  {
    try expectNoViolation(of: PairedSystem.self, in: situation, LongForm.count(2, long: 1_000))
  }

  private func expectNoViolation<System: PositionSystem>(
    of system: System.Type, in situation: String, _ seeds: UInt64
  ) throws {
    let settings = try #require(PositionSituation.all.first { $0.name == situation }).settings
    for seed in 1...seeds {
      var world = PositionWorld<System>(seed: seed, settings)
      let violations = world.run().subtracting(PositionViolation.known)
      #expect(violations.isEmpty, "seed \(seed): \(violations) \(world.system.disagreement ?? "")")
    }
  }

  @Test(arguments: ModelFault.allCases)
  func `I9: the search finds each injected fault`(fault: ModelFault) throws {
    let settings = try #require(PositionSituation.all.first { $0.name == fault.situation }).settings
    let found = (1...200 as ClosedRange<UInt64>).contains { seed in
      var world = PositionWorld<ModelSystem>(seed: seed, settings, fault: fault)
      return !world.run().isSubset(of: PositionViolation.known)
    }
    #expect(found)
  }
}

extension ModelFault {
  /// A situation in which few worlds find it.
  fileprivate var situation: String {
    switch self {
    case .present: "typed runs"
    case .noRuns: "typing"
    case .notOwn: "returned runs"
    case .looksUnchanged, .notOne: "columns with limits"
    case .sendsBehindUndo: "late messages, and positions forgotten at once"
    case .keepsLostNames: "undo of moves, where the first wins"
    }
  }
}
