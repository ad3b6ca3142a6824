import BaizeBot
import BaizeSync
import BaizeTable
import TestSupport
import Testing

/// Random legal operations on every type.
@Suite struct RandomStrategyTests {
  static let types = [
    "list", "list?items=30", "grid", "kanban", "kanban?cards=12&doing=2",
    "kanban?columns=fixed&cards=12&doing=2", "playlist", "klondike", "klondike?draw=3",
  ]

  /// Lets one bot play with delayed frames, so that operations build on predictions.
  static func play(_ type: String, seed: UInt64, steps: Int, _ strategy: RandomStrategy) -> BotTable {
    var table = BotTable(type, seed: seed, delayMax: 3)
    table.join(strategy)
    for _ in 0..<steps {
      table.play(0)
      table.step()
    }
    table.settle()
    return table
  }

  @Test(arguments: types, [1, 2] as [UInt64])
  func `I1, I5: a single player's operations that its rules allow are accepted`(type: String, seed: UInt64) throws {
    var table = Self.play(type, seed: seed, steps: 300, RandomStrategy())
    let bot = table.bots[0]
    #expect(bot.refusedHere == [])
    for answered in bot.answers {
      if case .refused(let refusal) = answered.answer { Issue.record("\(answered.operation.kind): \(refusal)") }
    }
    #expect(bot.submitted > 200 && bot.answers.count == bot.submitted)
    let differences = table.differences
    #expect(differences == [])
    #expect(try #require(table.state).brokenInvariant() == nil)
  }

  @Test func `the strategy submits every kind of operation that the type allows`() {
    let operations = [1, 2, 3].flatMap { (seed: UInt64) in
      Self.play("list?items=20", seed: seed, steps: 200, RandomStrategy()).bots[0].answers
    }.map(\.operation.kind)
    #expect(operations.contains { if case .insert = $0 { true } else { false } })
    #expect(operations.contains { if case .remove = $0 { true } else { false } })
    #expect(operations.contains { if case .update = $0 { true } else { false } })
    #expect(operations.contains { if case .perform("pin", _, _) = $0 { true } else { false } })
    #expect(operations.contains { if case .reorder(_, .copy) = $0 { true } else { false } })
    #expect(
      operations.contains { if case .reorder(let difference, _) = $0 { difference.sources.count > 1 } else { false } })
    #expect(
      operations.contains {
        if case .reorder(let difference, _) = $0 { difference.destination.position != .end } else { false }
      })
    let bin = Self.play("playlist", seed: 1, steps: 200, RandomStrategy()).bots[0].answers
    #expect(bin.contains { if case .accepted(let diff) = $0.answer { diff.operation == .delete } else { false } })
  }

  @Test(arguments: types)
  func `illegal operations are refused one by one, without effect on the connection or the table`(type: String) {
    var table = Self.play(type, seed: 5, steps: 300, RandomStrategy(illegalShare: 0.5))
    let bot = table.bots[0]
    let refusals = bot.answers.compactMap { if case .refused(let refusal) = $0.answer { refusal } else { nil } }
    #expect(refusals.count > 80 && bot.submitted - refusals.count > 80)
    #expect(Set(refusals.map(\.reason)).count > 4)
    let differences = table.differences
    #expect(bot.goodbye == nil && differences == [])
    var legal = bot.answers
    legal.removeAll { if case .refused = $0.answer { true } else { false } }
    #expect(legal.count + refusals.count == bot.submitted)
  }

  @Test func `a step on a long list costs no more than on a short one`() {
    var tables = ["list?items=100", "list?items=20000"].map { type in
      var table = BotTable(type, seed: 1)
      table.join(RandomStrategy())
      return table
    }
    func nanoseconds(_ table: Int) -> UInt64 {
      Proportion.nanoseconds {
        for _ in 0..<10 {
          tables[table].play(0)
          tables[table].step()
        }
      }
    }
    let ratio = Proportion.least(notAbove: 20) {
      nanoseconds(0)
    } _: {
      nanoseconds(1)
    }
    #expect(ratio <= 20)
  }

  @Test func `a bot waits for answers when it has too many operations pending`() throws {
    var table = BotTable("list?items=5", seed: 1, delayMax: 50)
    var strategy = RandomStrategy()
    strategy.pendingMax = 2
    table.join(strategy)
    let acted = (0..<3).map { _ in table.play(0) }
    #expect(acted == [true, true, false])
    table.settle()
    let actedAgain = table.play(0)
    #expect(actedAgain)
  }

  @Test func `equal seeds give equal decisions`() {
    let runs = (0..<2).map { _ in
      Self.play("playlist", seed: 9, steps: 100, RandomStrategy(illegalShare: 0.1)).bots[0].answers.map(\.operation)
    }
    #expect(runs[0] == runs[1] && !runs[0].isEmpty)
  }
}
