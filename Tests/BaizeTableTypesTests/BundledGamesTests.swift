import BaizeTable
import BaizeTableTypes
import Testing

/// Seats, owners and deals of the bundled games.
@Suite struct BundledGamesTests {
  private static func type(_ text: String) throws -> TableType { try TableTypeLibrary.bundled.tableType(text) }

  private static func seat(_ number: UInt32) -> SeatNumber { SeatNumber(rawValue: number) }

  private static func owners(_ type: TableType, _ kind: String) -> [UInt32] {
    type.collections.filter { type.kinds[$0.kind].name == kind }.map(\.owner.rawValue)
  }

  @Test func `nerts has piles for each player`() throws {
    let two = try Self.type("nerts")
    let three = try Self.type("nerts?players=3")
    #expect(two.seatsMax == 2 && three.seatsMax == 3 && three.turns == .zones && !three.hasSecrets)
    #expect(two.collections.count == 22 && three.collections.count == 33)
    #expect(
      Self.owners(three, "nerts") == [1, 2, 3] && Self.owners(three, "foundation") == Array(repeating: 0, count: 12))
    #expect(Self.owners(three, "work") == [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3])
    #expect(
      three.handle(of: "work/3-3").map { three.collections[Int($0.rawValue) - 1].attributes } == [
        Attribute("index", 3), Attribute("seat", 3),
      ])
    #expect(three.variables.map(\.name) == ["score/1", "score/2", "score/3", "stuck/1", "stuck/2", "stuck/3"])
    #expect(three.endings.map(\.status) == ["nerts-1", "nerts-2", "nerts-3"])
    #expect(three.actions.map(\.name) == ["draw", "stuck"])
  }

  @Test func `each player has a deck`() throws {
    let nerts = try Self.type("nerts?players=6")
    #expect(nerts.setUp.decks.count == 6 && nerts.setUp.decks.allSatisfy(\.isShuffled))
    for (number, deck) in nerts.setUp.decks.enumerated() {
      let cards = deck.makeItems()
      #expect(Set(cards).count == 52 && cards.allSatisfy { $0.face["deck"] == .number(Int64(number) + 1) })
      #expect(deck.deals.map(\.count) == [13, 1, 1, 1, 1, nil])
      let owners = Set(deck.deals.map { nerts.collections[Int($0.collection.rawValue) - 1].owner })
      #expect(owners == [Self.seat(UInt32(number) + 1)])
    }
  }

  @Test func `hand is played in turns, with private hands`() throws {
    let hand = try Self.type("hand?players=4")
    #expect(hand.turns == .turns && hand.hasSecrets && hand.seatsMax == 4 && !hand.allowsUndo)
    #expect(hand.variables == [Attribute("drawn", 0), Attribute("turn", 1), Attribute("turned", 0)])
    #expect(Self.owners(hand, "hand") == [1, 2, 3, 4])
    let kind = try #require(hand.kinds.first { $0.name == "hand" })
    #expect(kind.isPrivate && kind.faces == .owner)
    #expect(hand.kinds.filter(\.accept.passesTurn).map(\.name) == ["discard"])
    #expect(hand.setUp.decks.first?.deals.map(\.count) == [7, 7, 7, 7, 1, nil])
    #expect(hand.endings.map(\.status) == ["won-1", "won-2", "won-3", "won-4", "blocked"])
  }

  @Test func `speed deals all cards to two players`() throws {
    let speed = try Self.type("speed")
    #expect(speed.turns == .zones && speed.hasSecrets && speed.seatsMax == 2)
    #expect(speed.setUp.decks.first?.deals.map(\.count) == [5, 5, 15, 15, 5, 5, 1, 1])
    #expect(speed.kinds.map(\.isPrivate) == [false, false, true, false])
    #expect(Self.owners(speed, "centre") == [0, 0] && Self.owners(speed, "draw") == [1, 2])
  }
}
