import BaizeSimulator
import Foundation
import TestSupport
import Testing

/// Random worlds: whatever fails, in whatever order, nothing that a client has received is lost. They check I1, I2, I3,
/// I4, I5, I7, I9 and I10, and I6 for invites, after every step and at the end.
@Suite(.dedicatedThreads) struct WorldTests {
  /// The number of seeds of a scenario; `BAIZE_SEEDS` raises it for a long run. In fewer secret worlds, nobody is kicked.
  static func seeds(of scenario: Scenario) -> UInt64 {
    ProcessInfo.processInfo.environment["BAIZE_SEEDS"].flatMap { UInt64($0) }
      ?? LongForm.count(scenario == .secret ? 200 : 60, long: 200)
  }
  /// The first seed; `BAIZE_SEED` replays one.
  static let firstSeed = ProcessInfo.processInfo.environment["BAIZE_SEED"].flatMap { UInt64($0) } ?? 1

  @Test(arguments: Scenario.allCases)
  func `nothing that a client received is lost`(scenario: Scenario) {
    var counts = EventCounts()
    for seed in Self.firstSeed..<Self.firstSeed + Self.seeds(of: scenario) {
      let world = World(scenario, seed: seed)
      do throws(InvariantViolation) {
        try world.run()
      } catch {
        let shortened = Shrinker.shortened(world.script, error).script
        Issue.record("\(error)\nbaize-sim --kind \(scenario.rawValue) --seed \(seed) --worlds 1\n\(shortened.source)")
        return
      }
      counts += world.counts
    }
    for event in scenario.promises {
      #expect(counts[event] > 0, "\(event.title) in no world of \(scenario.rawValue)")
    }
  }
}

extension Scenario {
  /// The events that must have occurred in the worlds of a scenario, so that it is not idle.
  fileprivate var promises: [CountedEvent] {
    let always: [CountedEvent] = [
      .accepted, .unchanged, .refused, .statesCompared, .predictionsChecked, .refusalsChecked, .intentionsChecked,
      .movesJudgedAgain, .framesChecked, .commits, .journalSnapshots, .setUps,
    ]
    return always + special
  }

  private var special: [CountedEvent] {
    switch self {
    case .calm: []
    case .lossy:
      [
        .expiries, .cuts, .abandoned, .connectionsRefused, .resumedByDiffs, .resumedBySnapshot, .impostors,
        .setUpsDiscarded,
      ]
    case .hurried: [.retried]
    case .slow: [.snapshotsReceived, .acceptedBefore]
    case .crashing: [.crashes, .turnsLost, .restarts, .loads, .resumedBySnapshot, .impostors, .setUpsLost]
    case .full: [.diskFull, .storageFailures, .storageRecoveries, .retried, .setUpsDiscarded]
    case .idle: [.expiries, .loads, .cuts, .abandoned, .unknown]
    case .relaxed: [.crashes, .turnsLost]
    case .secret:
      [
        .cuts, .abandoned, .crashes, .restarts, .loads, .resumedByDiffs, .resumedBySnapshot, .left, .hosted, .kicked,
        .reseated,
        .invited,
      ]
    case .mixed:
      [
        .cuts, .abandoned, .crashes, .restarts, .storageFailures, .storageRecoveries, .resumedByDiffs, .retried, .left,
        .hosted,
        .reseated, .invited, .setUpsDiscarded, .setUpsLost,
      ]
    }
  }
}
