import BaizeTable
import BaizeSync
import Foundation
import Testing

/// Many clients, one table, every delay: whatever the order in which things arrive, everyone ends with the same.
@Suite struct WorldTests {
  /// How many seeds each kind of world runs; `BAIZE_SEEDS` makes it more for a long run.
  static let seeds = ProcessInfo.processInfo.environment["BAIZE_SEEDS"].flatMap { UInt64($0) } ?? 100
  /// The first seed; `BAIZE_SEED` replays one.
  static let firstSeed = ProcessInfo.processInfo.environment["BAIZE_SEED"].flatMap { UInt64($0) } ?? 1

  static let types = [
    "list?items=9", "grid", "klondike", "klondike?draw=3", "kanban?cards=8", "playlist", "strict", "sorter", "bag",
  ]

  /// I1, I2, I3, I4, I9, I10: any operations, any delays.
  @Test(arguments: types)
  func everyoneEndsWithTheSame(type: String) {
    run(World.Configuration(tableType: type))
  }

  private func run(_ configuration: World.Configuration, seeds: UInt64 = seeds) {
    var tally: [String: Int] = [:]
    for seed in Self.firstSeed..<Self.firstSeed + seeds {
      let world = World(configuration, seed: seed)
      do {
        try world.run()
      } catch {
        Issue.record("\(configuration.tableType), seed \(seed): \(error)")
        break
      }
      tally.merge(world.tally) { $0 + $1 }
    }
    if ProcessInfo.processInfo.environment["BAIZE_TALLY"] != nil {
      print(configuration.tableType, tally.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
    }
  }
}
