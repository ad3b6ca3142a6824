import BaizeBot
import BaizeSync
import BaizeTable
import TestSupport
import Testing

/// Complete games of klondike.
@Suite(.dedicatedThreads) struct GreedyGameTests {
  struct Game: Sendable {
    var seed: UInt64
    var conclusion: Conclusion?
    var problem: String?
  }

  /// Plays a game with one bot and checks the daemon's state after every operation.
  static func play(_ type: String, seed: UInt64) -> Game {
    var game = Game(seed: seed)
    var table = BotTable(type, seed: seed)
    table.join(GreedyStrategy())
    var revision: Revision?
    for _ in 0..<2_000 {
      guard let state = table.state else { return Game(seed: seed, problem: "there is no table") }
      if let broken = KlondikeInvariants.broken(state) {
        game.problem = "at revision \(state.revision.rawValue): \(broken)"
      }
      if let revision, state.revision != revision.next { game.problem = "the revision went from \(revision)" }
      revision = state.revision
      let didSomething = table.play(0)
      table.pump()
      guard game.problem == nil, didSomething else { break }
    }
    game.conclusion = table.bots[0].conclusion
    game.problem = game.problem ?? problem(at: &table)
    return game
  }

  /// Returns the problem of a game with one bot, if any.
  private static func problem(at table: inout BotTable) -> String? {
    if let refusal = table.bots[0].refusedHere.first { return "refused here: \(refusal)" }
    for answered in table.bots[0].answers {
      guard case .accepted = answered.answer else { return "\(answered.operation.kind) got \(answered.answer)" }
    }
    if table.bots[0].conclusion != .won && table.bots[0].conclusion != .stuck { return "the game has no end" }
    if table.bots[0].conclusion == .won, table.state?.status != "won" { return "it is not won" }
    return table.differences.first
  }

  static func play(_ type: String, seeds: ClosedRange<UInt64>) -> [Game] { seeds.map { play(type, seed: $0) } }

  /// The number changes with the strategy, the rules and the shuffle.
  @Test func `I4, I5: 59 of the first hundred deals are won, or nine of twelve, all without a refusal`() {
    let (deals, won) = LongForm.count((12, 9), long: (100, 59))
    let games = Self.play("klondike", seeds: 1...UInt64(deals))
    for game in games { #expect(game.problem == nil, "seed \(game.seed)") }
    #expect(games.count { $0.conclusion == .won } == won)
    #expect(games.count { $0.conclusion == .stuck } == deals - won)
  }

  @Test func `nine of twenty deals are won at draw three, or two of five`() {
    let (deals, won) = LongForm.count((5, 2), long: (20, 9))
    let games = Self.play("klondike?draw=3", seeds: 1...UInt64(deals))
    for game in games { #expect(game.problem == nil, "seed \(game.seed)") }
    #expect(games.count { $0.conclusion == .won } == won)
  }

  @Test(arguments: ["klondike?redeals=1", "klondike?emptyPile=any", "klondike?foundationToTableau=false&redeals=0"])
  func `the strategy obeys the table's options without a refusal`(type: String) {
    let games = Self.play(type, seeds: 1...LongForm.count(2, long: 4))
    for game in games { #expect(game.problem == nil, "seed \(game.seed)") }
  }
}
