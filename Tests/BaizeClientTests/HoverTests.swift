import BaizeClient
import BaizeSync
import BaizeTable
import TestSupport
import Testing

@Suite(.hangGuard)
struct HoverTests {
  /// A reference implementation of Klondike's rule for piles.
  private static func mayLand(_ card: Item, on below: Item?) -> Bool {
    guard case .number(let rank) = card.face["rank"], case .text(let suit) = card.face["suit"] else { return false }
    guard let below else { return rank == 13 }
    guard case .number(let lower) = below.face["rank"], case .text(let other) = below.face["suit"] else { return false }
    let red: Set = ["hearts", "diamonds"]
    return rank + 1 == lower && red.contains(suit) != red.contains(other)
  }

  @Test(arguments: (1...20).map(UInt64.init))
  func `legal destinations in klondike equal a reference, without the daemon`(seed: UInt64) async throws {
    let daemon = try TestDaemon()
    let client = try await daemon.join("t", as: "klondike", seed: seed)
    daemon.stop()
    let piles = (0...6).map { "pile/\($0)" }
    for source in piles {
      let card = try #require(client.items(in: source).last)
      let legal = client.legalDestinations(for: [card.id])
      let expected = piles.filter { $0 != source && Self.mayLand(card, on: client.items(in: $0).last) }
      #expect(legal.map(\.id).filter { $0.hasPrefix("pile") && $0 != source } == expected)
      let isAce = card.face["rank"] == .number(1)
      #expect(legal.contains { $0.id.hasPrefix("foundation") } == isAce)
      for destination in legal {
        let difference = ReorderDifference(sources: [card.id], destination: .end(of: destination.collection))
        #expect(client.dropConfiguration(for: difference) == destination.configuration)
      }
    }
    // A face-down card cannot be moved.
    let hidden = try #require(client.items(in: "pile/6").first)
    #expect(client.legalDestinations(for: [hidden.id]).isEmpty)
    #expect(client.legalDestinations(for: []).isEmpty)
    #expect(client.legalDestinations(for: [ItemID(rawValue: 1 << 40)]).isEmpty)
  }
}
