import BaizeSync
import BaizeTable
import Foundation
import Testing

/// Many clients, one table, every delay: whatever the order in which things arrive, everyone ends with the same.
@Suite struct WorldTests {
  /// How many seeds each kind of world runs; `BAIZE_SEEDS` makes it more for a long run.
  static let seeds = ProcessInfo.processInfo.environment["BAIZE_SEEDS"].flatMap { UInt64($0) } ?? 60
  /// The first seed; `BAIZE_SEED` replays one.
  static let firstSeed = ProcessInfo.processInfo.environment["BAIZE_SEED"].flatMap { UInt64($0) } ?? 1

  static let types = [
    "list?items=9", "grid", "klondike", "klondike?draw=3", "kanban?cards=8", "playlist", "strict", "sorter", "bag",
  ]

  /// I1, I2, I3, I4, I9, I10: any operations, any delays.
  @Test(arguments: types)
  func everyoneEndsWithTheSame(type: String) async {
    await run(World.Configuration(tableType: type))
  }

  /// I1, I2, I3, I10: connections are lost, welcomes and answers with them; what is pending is sent again.
  @Test(arguments: types)
  func everyoneComesBack(type: String) async {
    await run(World.Configuration(tableType: type, lossOnceIn: 5, snapshotOnceIn: 8))
  }

  /// I1, I2, I3, I8: operations come too fast and too many, and wait their turn.
  @Test(arguments: types)
  func everyoneWaitsTheirTurn(type: String) async {
    var limits = SyncLimits()
    limits.operationsPerSecondMax = 800
    limits.operationsBurstMax = 2
    limits.pendingOperationsMax = 5
    await run(World.Configuration(tableType: type, lossOnceIn: 12, snapshotOnceIn: 15, limits: limits))
  }

  /// I1, I2, I3, I8: readers so slow that their backlog is replaced by a snapshot, which comes in many parts.
  @Test(arguments: types)
  func everyoneCatchesUp(type: String) async {
    var limits = SyncLimits()
    limits.outboxSoftBytes = 200
    limits.outboxHardBytes = 400
    limits.outboxResumeBytes = 200
    limits.snapshotPartItemsMax = 4
    await run(World.Configuration(tableType: type, snapshotOnceIn: 15, reportsBacklog: true, limits: limits))
  }

  private func run(_ configuration: World.Configuration, seeds: UInt64 = seeds) async {
    var tally: [String: Int] = [:]
    for seed in Self.firstSeed..<Self.firstSeed + seeds {
      // Other tests wait for a socket or a clock: they are to have their turn between two worlds.
      await Task.yield()
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
      print(
        configuration.tableType,
        tally.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
    }
  }
}
