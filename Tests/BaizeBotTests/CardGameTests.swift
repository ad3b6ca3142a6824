import BaizeBot
import BaizeSync
import BaizeTable
import TestSupport
import Testing

/// Complete card games with private hands, zones and turns, played over the machines with real frames.
@Suite(.dedicatedThreads) struct CardGameTests {
  struct Game {
    let type: String
    let players: Int
    /// The attributes of each deck's cards besides rank and suit.
    var decks: [Int64?] = [nil]
    /// The first deal to try.
    var seed: UInt64 = 1
  }

  static let games = [
    Game(type: "nerts", players: 2, decks: [1, 2], seed: 2),
    Game(type: "nerts?players=6", players: 4, decks: [1, 2, 3, 4, 5, 6]),
    Game(type: "hand", players: 2),
    Game(type: "hand?players=5", players: 3),
    Game(type: "speed", players: 2),
  ]

  static let stepsMax = 1_200

  /// Not every deal can be finished, but one of a few can.
  @Test(arguments: games.indices)
  func `I1, I4, I5: a card game is played to its end with the right views and every card once`(game: Int) throws {
    let game = Self.games[game]
    let end = game.type.hasPrefix("nerts") ? "nerts-" : "won-"
    var statuses: [String] = []
    for seed in game.seed..<game.seed + 5 where !statuses.contains(where: { $0.hasPrefix(end) }) {
      statuses.append(try play(game, seed: seed))
    }
    #expect(statuses.last?.hasPrefix(end) == true, "\(statuses)")
  }

  /// - Returns: The final status.
  private func play(_ game: Game, seed: UInt64) throws -> String {
    var table = BotTable(game.type, seed: seed)
    for _ in 0..<game.players { table.join(CardStrategy()) }
    var random = RandomSource(seed: seed)
    var revision: Revision?
    for _ in 0..<Self.stepsMax {
      table.play(Int(random.next(below: UInt64(game.players))))
      table.settle()
      let state = try #require(table.state)
      guard state.revision != revision else { continue }
      revision = state.revision
      // Without the long form the views are compared at each sixteenth revision, and at the end.
      let isCompared =
        state.revision.rawValue.isMultiple(of: LongForm.count(16, long: 1)) || state.status != TableState.open
      let problem = isCompared ? Self.problem(at: &table, state, game) : nil
      #expect(problem == nil, "seed \(seed), revision \(state.revision.rawValue)")
      guard problem == nil, state.status == TableState.open else { break }
    }
    let differences = table.differences
    #expect(differences == [])
    for bot in table.bots { #expect(bot.refusedHere.allSatisfy { Self.isExpectedLocally($0) }, "\(bot.refusedHere)") }
    return try #require(table.state).status
  }

  @Test(arguments: games.indices)
  func `with delayed frames, other players' moves cause conflicts and no other refusals`(game: Int) throws {
    let game = Self.games[game]
    var table = BotTable(game.type, seed: 4, delayMax: 4)
    for _ in 0..<game.players { table.join(CardStrategy()) }
    var random = RandomSource(seed: 4)
    for _ in 0..<200 {
      table.play(Int(random.next(below: UInt64(game.players))))
      table.step()
    }
    let state = try settled(&table, game)
    #expect(state.revision.rawValue > 20)
  }

  @Test(arguments: games.indices)
  func `random bots submit only operations that their rules allow, on any table`(game: Int) throws {
    let game = Self.games[game]
    var table = BotTable(game.type, seed: 7, delayMax: 3)
    for _ in 0..<game.players { table.join(RandomStrategy()) }
    for step in 0..<200 {
      table.play(step % game.players)
      table.step()
    }
    _ = try settled(&table, game)
    #expect(table.bots.reduce(0) { $0 + $1.submitted } > 20)
    for answered in table.bots.flatMap(\.answers) {
      guard case .refused(let refusal) = answered.answer else { continue }
      let isMet = Self.conflictReasons.contains(refusal.reason.rawValue)
      #expect(isMet, "\(answered.operation.kind): \(refusal)")
    }
  }

  /// The refusals that another's unseen move, or an own move with an unpredictable result, can cause.
  private static let conflictReasons: Set<String> = [
    "CONTENDED", "UNKNOWN_ITEM", "GAME_OVER", "NOT_YOUR_TURN", "NOT_TOP", "RANK_MISMATCH", "WRONG_SUIT", "STOCK_EMPTY",
    "CAPACITY_EXCEEDED",
  ]

  /// Only actions that are not permitted now are refused before they are sent.
  private static func isExpectedLocally(_ refusal: Refusal) -> Bool {
    ["STOCK_EMPTY", "CAPACITY_EXCEEDED", "ALREADY_DRAWN", "NOT_YOUR_TURN"].contains(refusal.reason.rawValue)
  }

  /// Delivers everything and checks every seat's copy.
  private func settled(_ table: inout BotTable, _ game: Game) throws -> TableState {
    table.settle()
    let state = try #require(table.state)
    let problem = Self.problem(at: &table, state, game)
    let differences = table.differences
    #expect(problem == nil && differences == [])
    return state
  }

  private static func problem(at table: inout BotTable, _ state: TableState, _ game: Game) -> String? {
    if state.revision.rawValue % 8 == 0 || state.status != TableState.open {
      if let broken = state.brokenInvariant() { return broken }
      let cards = Set(state.handles.flatMap { state.items(in: $0, from: 0, limit: .max) }.map(\.face))
      guard cards == deck(game), state.itemCount == cards.count else {
        return "\(state.itemCount) cards are not the decks"
      }
    }
    var truth = state
    for bot in table.bots.indices {
      guard var replica = table.bots[bot].client.replica, replica.confirmedRevision == state.revision else {
        return "bot \(bot) is not up to date"
      }
      guard table.bots[bot].client.divergences == 0 else { return "bot \(bot) has diverged" }
      guard replica.confirmedHash() == truth.viewHash(for: replica.author.seat) else {
        return "bot \(bot) has a different view"
      }
      if let leak = replica.state.leak(to: replica.author.seat) { return "bot \(bot) receives \(leak)" }
    }
    return nil
  }

  private static func deck(_ game: Game) -> Set<Face> {
    var cards: Set<Face> = []
    for deck in game.decks {
      for suit in ["clubs", "diamonds", "hearts", "spades"] {
        for rank in 1...13 as ClosedRange<Int64> {
          var face = Face(attributes: [Attribute("suit", suit), Attribute("rank", rank)])
          if let deck { face.set(Attribute("deck", deck)) }
          cards.insert(face)
        }
      }
    }
    return cards
  }
}
