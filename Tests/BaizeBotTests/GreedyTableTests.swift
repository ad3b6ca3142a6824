import BaizeBot
import BaizeSync
import BaizeTable
import TestSupport
import Testing

/// Full tables of greedy bots.
@Suite(.dedicatedThreads) struct GreedyTableTests {
  struct Game: Sendable {
    let type: String
    let players: Int
    /// Whether the rules end the game in this deal.
    var hasEnding = false
  }

  static let games = [
    Game(type: "hearts?score=30", players: 4, hasEnding: true),
    Game(type: "hand", players: 2, hasEnding: true), Game(type: "hand?players=6", players: 6, hasEnding: true),
    Game(type: "speed", players: 2, hasEnding: true), Game(type: "nerts", players: 2),
    Game(type: "nerts?players=6", players: 6), Game(type: "klondike", players: 4),
    Game(type: "kanban?cards=6", players: 32), Game(type: "kanban?columns=fixed&cards=6", players: 32),
    Game(type: "board?cards=6", players: 16), Game(type: "playlist", players: 16),
    Game(type: "list?items=20", players: 64), Game(type: "grid", players: 64),
  ]

  /// Lets the bots play in turns until none has anything left to do.
  ///
  /// - Returns: The number of steps; `nil` if they do not come to an end.
  private static func play(_ table: inout BotTable, stepsMax: Int = 12_000) -> Int? {
    var quiet = 0
    for step in 0..<stepsMax {
      let bot = step % table.bots.count
      let acted = table.play(bot)
      table.settle()
      quiet = !acted && table.bots[bot].conclusion != nil ? quiet + 1 : 0
      if quiet == table.bots.count { return step }
    }
    return nil
  }

  @Test(arguments: games.indices)
  func `a full table of a bundled type ends by itself, without a refusal`(game: Int) throws {
    let game = Self.games[game]
    for seed in 1...LongForm.count(1, long: 10) as ClosedRange<UInt64> {
      var table = BotTable(game.type, seed: seed)
      for _ in 0..<game.players { table.join(GreedyStrategy()) }
      #expect(Self.play(&table) != nil, "\(game.type), seed \(seed): \(table.bots.map(\.conclusion))")
      let state = try #require(table.state)
      #expect(!game.hasEnding || state.status != TableState.open, "\(game.type), seed \(seed)")
      #expect(table.bots.allSatisfy { $0.refusedHere.isEmpty })
      let refused = table.bots.flatMap(\.answers).filter { if case .refused = $0.answer { true } else { false } }
      #expect(refused.isEmpty, "\(game.type), seed \(seed): \(refused.prefix(3))")
      let differences = table.differences
      #expect(differences == [] && state.brokenInvariant() == nil)
    }
  }

  @Test func `most races of nerts are won, and the others are stuck`() {
    let statuses = (1...LongForm.count(4, long: 20) as ClosedRange<UInt64>).map { seed in
      var table = BotTable("nerts", seed: seed)
      for _ in 0..<2 { table.join(GreedyStrategy()) }
      return Self.play(&table) == nil ? "" : table.state?.status ?? ""
    }
    #expect(statuses.count { $0.hasPrefix("nerts-") } * 2 > statuses.count, "\(statuses)")
    #expect(statuses.allSatisfy { !$0.isEmpty })
  }

  /// Returns the numbers of the items in a collection.
  private func numbers(in collection: String, _ state: TableState) -> [Int64] {
    guard let handle = state.handle(of: collection) else { return [] }
    return state.items(in: handle, from: 0, limit: 100).compactMap {
      if case .number(let number)? = $0.face["number"] { number } else { nil }
    }
  }

  @Test(arguments: ["list?items=20", "grid"]) func `what was disordered is put in order`(type: String) throws {
    var table = BotTable(type, seed: 3)
    var random = RandomStrategy()
    (random.growthMax, random.itemsKept) = (0, 100)
    table.join(random)
    for _ in 0..<40 {
      table.play(0)
      table.settle()
    }
    let collection = type == "grid" ? "c/1" : "items"
    let state = try #require(table.state)
    #expect(numbers(in: collection, state) != numbers(in: collection, state).sorted())
    table.bots[0].strategy = GreedyStrategy()
    let steps = Self.play(&table)
    #expect(steps != nil)
    let end = try #require(table.state)
    let isSorted = end.handles.allSatisfy { handle in
      let numbers = numbers(in: end.rules(of: handle).id, end)
      return numbers == numbers.sorted()
    }
    // A pinned item of the list stays where it is.
    #expect(isSorted || type.hasPrefix("list"))
  }

  @Test(arguments: ["kanban?cards=7", "kanban?columns=fixed&cards=7", "board?cards=7"])
  func `cards move through a workflow to its end`(type: String) throws {
    var table = BotTable(type, seed: 1)
    for _ in 0..<2 { table.join(GreedyStrategy()) }
    #expect(Self.play(&table) != nil)
    let state = try #require(table.state)
    let done = state.handles.filter { handle in
      state.count(in: handle) == 7
        && (state.rules(of: handle).id == "done"
          || state.item(state.opener(of: handle))?.face["title"] == .text("Done"))
    }
    #expect(done.count == 1, "\(state.handles.map { state.count(in: $0) })")
  }

  @Test func `each song of a library is queued once`() throws {
    var table = BotTable("playlist", seed: 1)
    for _ in 0..<3 { table.join(GreedyStrategy()) }
    #expect(Self.play(&table) != nil)
    let state = try #require(table.state)
    let queue = try #require(state.handle(of: "queue"))
    let titles = state.items(in: queue, from: 0, limit: 100).compactMap { $0.face["title"] }
    #expect(titles.count == 6 && Set(titles).count == 6)
  }
}
