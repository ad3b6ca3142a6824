import BaizeSimulator
import Foundation
import TestSupport
import Testing

/// I6: a participant cannot tell apart two tables that differ only in what is hidden from it.
@Suite(.dedicatedThreads) struct LeakTests {
  /// The number of pairs per table type; `BAIZE_SEEDS` raises it for a long run.
  static let pairs = ProcessInfo.processInfo.environment["BAIZE_SEEDS"].flatMap { UInt64($0) } ?? 30

  @Test(arguments: LeakPair.typeNames)
  func `no participant can detect what it may not see`(type: String) {
    var counts = LeakCounts()
    for seed in 1...Self.pairs {
      var pair = LeakPair(seed: seed, typeName: type)
      let finding = pair.run()
      if case .leak(let leak) = finding {
        Issue.record("seed \(seed): \(leak)")
        return
      }
      counts.count(finding)
    }
    #expect(counts.isSignificant, "\(counts)")
  }

  @Test(arguments: [("hands", 9_592), ("hand", 2_652)] as [(String, UInt64)])
  func `the next holder of a seat cannot detect what the last one received`(type: String, seed: UInt64) {
    var pair = LeakPair(seed: seed, typeName: type)
    if case .leak(let leak) = pair.run() { Issue.record("\(leak)") }
  }

  @Test func `all table types with hidden faces are tested`() {
    #expect(Set(LeakPair.typeNames).isSuperset(of: SimulatedTypes.secretNames + ["klondike", "bag"]))
    #expect(SimulatedTypes.secretNames.contains("hands") && SimulatedTypes.secretNames.contains("rounds"))
  }
}
