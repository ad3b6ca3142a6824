import BaizeBot
import BaizeSync
import BaizeTable
import BaizeTableTypes
import Foundation
import TestSupport
import Testing

/// Games of hearts to their end. `BAIZE_HEARTS_GAMES` is the number of games (2 by default), `BAIZE_SEED` the first seed.
@Suite(.dedicatedThreads) struct HeartsTests {
  /// A few hands by default, whole games where their number is given.
  fileprivate static let score: Int64 = setting("BAIZE_HEARTS_GAMES") == nil ? 20 : 100

  private static func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  @Test func `I5: four bots play hearts to the end, and a referee agrees with every trick and score`() throws {
    let type = try TableTypeLibrary.bundled.tableType("hearts?score=\(Self.score)")
    let first = Self.setting("BAIZE_SEED") ?? 1
    var winners: Set<String> = []
    for seed in first..<first + (Self.setting("BAIZE_HEARTS_GAMES") ?? LongForm.count(2, long: 5)) {
      var game = HeartsGame(type, seed: seed)
      while game.state.status == TableState.open, game.problem == nil, game.state.revision.rawValue < 20_000 {
        game.play()
      }
      #expect(game.problem == nil, "seed \(seed)")
      try #require(game.problem == nil && game.state.status.hasPrefix("won-"), "seed \(seed): \(game.state.status)")
      winners.insert(game.state.status)
    }
    #expect(!winners.isEmpty)
  }

  @Test func `I5: the time alone plays hearts to the end, and the referee agrees with every card`() throws {
    let type = try TableTypeLibrary.bundled.tableType("hearts?score=\(Self.score)&seconds=30")
    let limit = try #require(type.timeLimits.turn)
    var game = HeartsGame(type, seed: Self.setting("BAIZE_SEED") ?? 1)
    while game.state.status == TableState.open, game.problem == nil, game.state.revision.rawValue < 20_000 {
      #expect(game.state.runs(limit))
      game.play(by: limit)
    }
    #expect(game.problem == nil && game.state.status.hasPrefix("won-") && !game.state.runs(limit))
  }

  @Test func `I1, I6: no hand, no card to pass and no taken card is in another's copy`() throws {
    for seed in 1...2 as ClosedRange<UInt64> {
      var table = BotTable("hearts?score=1", seed: seed)
      for _ in 0..<4 { table.join(HeartsStrategy()) }
      var random = RandomSource(seed: seed)
      for _ in 0..<2_000 where table.state?.status == TableState.open {
        table.play(Int(random.next(below: 4)))
        table.settle()
        for bot in table.bots {
          let replica = try #require(bot.client.replica)
          let leak = replica.state.leak(to: replica.author.seat)
          try #require(leak == nil, "seed \(seed): \(leak ?? "")")
        }
      }
      let differences = table.differences
      #expect(differences == [])
      let state = try #require(table.state)
      #expect(state.status.hasPrefix("won-"), "seed \(seed): \(state.variables)")
      let refused = table.bots.flatMap(\.answers).filter { if case .refused = $0.answer { true } else { false } }
      #expect(refused.isEmpty, "\(refused)")
    }
  }
}

/// One table of hearts without sessions, whose every card a referee checks.
private struct HeartsGame {
  private var table: Table
  private var authors = (1...4).map { TestAuthor($0) }
  private var random: RandomSource
  private(set) var problem: String?
  private var takenPoints: [Int64] = [0, 0, 0, 0]
  private var players: [Int] = []
  private var scores: [Int64] = [0, 0, 0, 0]
  private var heartsAreBroken = false

  var state: TableState { table.state }

  init(_ type: TableType, seed: UInt64) {
    table = Table(type: type, random: RandomSource(seed: seed))
    _ = table.seat((1...4).map { Seat(number: Self.seat($0), name: "\($0)", person: SessionID(rawValue: UInt64($0))) })
    random = RandomSource(seed: seed &+ 1_000)
  }

  private static func seat(_ number: Int) -> SeatNumber { SeatNumber(rawValue: UInt32(number)) }

  /// Lets one of the four, chosen by lot, do what it can.
  mutating func play() {
    // Mostly the one whose turn it is; sometimes another, who is allowed nothing.
    var player = Int(random.next(below: 4))
    let isOpening = state.variable("trick") == .number(1) && state.count(in: HeartsStrategy.handle("trick", state)) == 0
    if state.variable("phase") == .text("play"), !isOpening, random.next(below: 8) > 0, let turn = state.seatToMove {
      player = Int(turn.rawValue) - 1
    }
    if state.variable("phase") == .text("play") { checkLegalCards(player) }
    guard problem == nil, let kind = HeartsStrategy.choice(at: state, by: Self.seat(player + 1), &random) else {
      return
    }
    note(kind, player)
    let judgement = authors[player].ask(kind, of: &table)
    guard case .accepted = judgement else {
      problem = "\(player + 1), \(kind): \(judgement)"
      return
    }
    checkTrick()
    if case .perform(action: "take", _, _) = kind { players = [] }
    if state.variable("phase") == .text("count"), takenPoints.contains(where: { $0 > 0 }) { checkScores() }
  }

  /// Lets the time of a turn be up.
  mutating func play(by limit: TimeLimit) {
    let trick = cards("trick")
    let isFirst = state.variable("trick") == .number(1)
    let hands = (1...4).map { cards("hand/\($0)") }
    guard table.expire(limit).diff != nil else {
      problem = "nothing happens: \(state.variables)"
      return
    }
    let after = cards("trick")
    if after.count == trick.count + 1, let played = after.last,
      let player = hands.firstIndex(where: { $0.contains(played) })
    {
      let legal = HeartsReferee.legal(hands[player], trick: trick, isFirst: isFirst, heartsAreBroken: heartsAreBroken)
      if hands[player].first(where: legal.contains) != played { problem = "\(player + 1) plays \(played) on \(trick)" }
      players.append(player)
      if played.suit == "hearts" { heartsAreBroken = true }
      checkTrick()
    } else if after.isEmpty, !trick.isEmpty {
      players = []
    }
    if state.variable("phase") == .text("count"), takenPoints.contains(where: { $0 > 0 }) { checkScores() }
  }

  private func cards(_ collection: String) -> [HeartsReferee.Card] {
    state.itemIDs(in: HeartsStrategy.handle(collection, state)).compactMap(card)
  }

  private func card(_ item: ItemID) -> HeartsReferee.Card? {
    guard let face = state.face(of: item), case .text(let suit)? = face["suit"], case .number(let rank)? = face["rank"]
    else { return nil }
    return HeartsReferee.Card(suit: suit, rank: rank)
  }

  private mutating func checkLegalCards(_ player: Int) {
    let trick = cards("trick")
    let isFirst = state.variable("trick") == .number(1)
    let isTurn = isFirst && trick.isEmpty || state.variable("turn") == .number(Int64(player + 1))
    let legal =
      isTurn && trick.count < 4
      ? HeartsReferee.legal(
        cards("hand/\(player + 1)"), trick: trick, isFirst: isFirst, heartsAreBroken: heartsAreBroken) : []
    let found = Set(HeartsStrategy.legal(at: state, by: Self.seat(player + 1)).compactMap(card))
    if found != legal { problem = "\(player + 1) may play \(found), not \(legal), on \(trick)" }
  }

  private mutating func note(_ kind: TableOperation.Kind, _ player: Int) {
    guard case .reorder(let move, _) = kind, move.destination.collection == HeartsStrategy.handle("trick", state) else {
      return
    }
    players.append(player)
    if card(move.sources[0])?.suit == "hearts" { heartsAreBroken = true }
  }

  private mutating func checkTrick() {
    let trick = cards("trick")
    guard trick.count == 4, players.count == 4 else { return }
    let winner = players[HeartsReferee.winner(trick)]
    let points = trick.reduce(0) { $0 + $1.points }
    players = players + [winner]
    takenPoints[winner] += points
    guard state.variable("turn") == .number(Int64(winner + 1)),
      (0..<4).allSatisfy({ state.variable("points/\($0 + 1)") == .number(takenPoints[$0]) })
    else {
      problem = "\(trick) is taken by \(winner + 1), with \(points)"
      return
    }
  }

  private mutating func checkScores() {
    for (player, points) in HeartsReferee.scored(takenPoints).enumerated() { scores[player] += points }
    if takenPoints.reduce(0, +) != 26 { problem = "\(takenPoints) points" }
    takenPoints = [0, 0, 0, 0]
    heartsAreBroken = false
    guard (0..<4).allSatisfy({ state.variable("score/\($0 + 1)") == .number(scores[$0]) }) else {
      problem = "the scores are \(scores)"
      return
    }
    let isOver = scores.contains { $0 >= HeartsTests.score }
    let lowest = scores.firstIndex(of: scores.min() ?? 0) ?? 0
    let status = isOver ? "won-\(lowest + 1)" : TableState.open
    if state.status != status { problem = "\(state.status), with \(scores)" }
  }
}
