import BaizeBot
import BaizeSync
import BaizeTable
import Foundation
import TestSupport
import Testing

/// Hearts between greedy and random players, two of each, who sit across and change seats from game to game.
///
/// `BAIZE_HEARTS_MATCHES` is the number of games to a hundred points (by default 20 of one deal each), `BAIZE_SEED` the first seed.
/// `Tests/long/hearts.sh` plays a thousand.
@Suite(.dedicatedThreads) struct HeartsMatchTests {
  private static let matches = setting("BAIZE_HEARTS_MATCHES")

  private static func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  @Test func `greedy players of hearts get fewer points than random ones`() throws {
    let type = Self.matches == nil ? "hearts?score=1" : "hearts"
    let first = Self.setting("BAIZE_SEED") ?? 1
    var (greedy, random) = (Sample(), Sample())
    var (difference, greedyWins) = (Sample(), 0)
    for seed in first..<first + (Self.matches ?? 20) {
      let isOdd = seed % 2 == 1
      let scores = try #require(Self.play(type, seed: seed, isGreedy: { ($0 % 2 == 0) == isOdd }), "seed \(seed)")
      let own = Double(scores.indices.filter { ($0 % 2 == 0) == isOdd }.reduce(0) { $0 + scores[$1] }) / 2
      let others = Double(scores.indices.filter { ($0 % 2 == 0) != isOdd }.reduce(0) { $0 + scores[$1] }) / 2
      greedy.add(own)
      random.add(others)
      difference.add(others - own)
      let lowest = scores.firstIndex(of: scores.min() ?? 0) ?? 0
      if (lowest % 2 == 0) == isOdd { greedyWins += 1 }
    }
    print(
      "hearts, \(type), seeds from \(first), \(difference.count) games: greedy \(greedy), random \(random) points, "
        + "difference \(difference), \(greedyWins) games won by greedy players")
    #expect(difference.mean - difference.halfWidth > 0, "seeds from \(first)")
    #expect(greedyWins * 2 > difference.count)
  }

  /// - Returns: The scores by seat; `nil` if the game did not end or an operation was refused.
  private static func play(_ type: String, seed: UInt64, isGreedy: (Int) -> Bool) -> [Int64]? {
    var table = BotTable(type, seed: seed)
    for player in 0..<4 { table.join(isGreedy(player) ? GreedyStrategy() : HeartsStrategy()) }
    for _ in 0..<20_000 {
      guard let state = table.state else { return nil }
      if state.status != TableState.open { return scores(of: table, state) }
      // Where it is known whose turn it is, the others need not be asked.
      let isOpening = state.variable("trick") == .number(1) && state.items(in: trick(state), from: 0, limit: 1).isEmpty
      let turn = state.variable("phase") == .text("play") && !isOpening ? state.seatToMove : nil
      for player in turn.map({ [Int($0.rawValue) - 1] }) ?? [0, 1, 2, 3] {
        table.play(player)
        table.settle()
      }
    }
    return nil
  }

  private static func trick(_ state: TableState) -> CollectionHandle { HeartsStrategy.handle("trick", state) }

  private static func scores(of table: BotTable, _ state: TableState) -> [Int64]? {
    let isRefused = table.bots.contains { bot in
      !bot.refusedHere.isEmpty || bot.answers.contains { if case .refused = $0.answer { true } else { false } }
    }
    guard !isRefused else { return nil }
    return (1...4).compactMap { if case .number(let score)? = state.variable("score/\($0)") { score } else { nil } }
  }
}

/// A sample's mean, with the interval in which the true mean is with a confidence of 95 %.
private struct Sample: CustomStringConvertible {
  private(set) var count = 0
  private var sum = 0.0
  private var squares = 0.0

  mutating func add(_ value: Double) {
    count += 1
    sum += value
    squares += value * value
  }

  var mean: Double { sum / Double(count) }

  var halfWidth: Double {
    1.96 * ((squares - sum * mean) / Double(max(1, count - 1)) / Double(count)).squareRoot()
  }

  var description: String { "\(Self.rounded(mean)) ± \(Self.rounded(halfWidth))" }

  private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
