import BaizeBot
import BaizeSync
import BaizeTable
import Testing

/// Several bots at a klondike table with delayed frames.
@Suite struct ContentionTests {
  /// The refusals that another's unseen move can cause.
  static let expected: Set<String> = [
    "CONTENDED", "STACK_CHANGED", "NOT_TOP", "NOT_A_RUN", "MIXED_SOURCES", "COLOR_MISMATCH", "RANK_MISMATCH",
    "KING_REQUIRED", "STOCK_EMPTY", "GAME_OVER",
  ]

  struct Outcome: Sendable {
    var problem: String?
    var contended = 0
    var conclusions: [Conclusion?] = []
  }

  static func play(_ strategies: [any Strategy], seed: UInt64, steps: Int, delayMax: Int = 4) -> Outcome {
    var table = BotTable("klondike", seed: seed, delayMax: delayMax)
    for strategy in strategies { table.join(strategy) }
    var order = RandomSource(seed: seed)
    var looked: Revision?
    var quiet = 0
    for _ in 0..<steps where quiet < 20 {
      let bot = Int(order.next(below: UInt64(strategies.count)))
      let acted = table.play(bot)
      table.step()
      quiet = acted || !table.isQuiet ? 0 : quiet + 1
      guard let state = table.state, state.revision != looked else { continue }
      looked = state.revision
      if let broken = KlondikeInvariants.broken(state) {
        return Outcome(problem: "at revision \(state.revision.rawValue): \(broken)")
      }
    }
    table.settle()
    var outcome = Outcome(problem: table.differences.first)
    for bot in table.bots {
      outcome.conclusions.append(bot.conclusion)
      if let refusal = bot.refusedHere.first { outcome.problem = "refused here: \(refusal)" }
      for answered in bot.answers {
        guard case .refused(let refusal) = answered.answer else { continue }
        if refusal.reason == .contended { outcome.contended += 1 }
        if !expected.contains(refusal.reason.rawValue) { outcome.problem = "\(answered.operation.kind): \(refusal)" }
      }
    }
    return outcome
  }

  static func play(
    _ strategies: [any Strategy], seeds: ClosedRange<UInt64>, steps: Int
  ) async -> [(seed: UInt64, Outcome)] {
    await withTaskGroup(of: (UInt64, Outcome).self) { group in
      for seed in seeds { group.addTask { (seed, play(strategies, seed: seed, steps: steps)) } }
      var outcomes: [(UInt64, Outcome)] = []
      for await outcome in group { outcomes.append(outcome) }
      return outcomes
    }
  }

  @Test(arguments: [2, 4])
  func `I1, I4, I5: of contended operations the first wins, and all copies are equal in the end`(count: Int) async {
    let outcomes = await Self.play(Array(repeating: GreedyStrategy(), count: count), seeds: 1...6, steps: 3_000)
    for (seed, outcome) in outcomes {
      #expect(outcome.problem == nil, "seed \(seed)")
      let ends: Set<Conclusion?> = [.won, .stuck]
      #expect(outcome.conclusions.allSatisfy(ends.contains), "seed \(seed): \(outcome.conclusions)")
    }
    #expect(outcomes.contains { $0.1.contended > 0 }, "no conflict ever occurred")
    #expect(outcomes.contains { $0.1.conclusions.allSatisfy { $0 == .won } }, "no game was won")
  }

  @Test func `greedy and random bots share a table`() async {
    let strategies: [any Strategy] = [GreedyStrategy(), RandomStrategy(), GreedyStrategy(), RandomStrategy()]
    let outcomes = await Self.play(strategies, seeds: 11...14, steps: 300)
    for (seed, outcome) in outcomes { #expect(outcome.problem == nil, "seed \(seed)") }
    #expect(outcomes.contains { $0.1.contended > 0 }, "no conflict ever occurred")
  }

  @Test func `without concurrency no operation is refused`() {
    let strategies: [any Strategy] = [GreedyStrategy(), GreedyStrategy()]
    let outcome = Self.play(strategies, seed: 3, steps: 1_000, delayMax: 0)
    #expect(outcome.problem == nil && outcome.contended == 0)
  }
}
