import BaizeClient
import BaizeTable
import Observation

/// A shared klondike table: what its views show, and what its buttons do. It knows no SwiftUI.
@MainActor @Observable
public final class CardTable {
  /// The table, which the views' drags and drops go to.
  public let table: TableModel

  /// Joins a table, and deals one if there is none.
  public init(
    joining name: String, at address: String, as player: String, timeout: Duration = .seconds(10)
  ) async throws {
    let configuration = ClientConfiguration(table: name, tableType: "klondike", name: player)
    table = try await TableModel.join(address, configuration, timeout: timeout)
  }

  public var piles: [CollectionModel] { table.collections.filter { $0.id.hasPrefix("pile/") } }
  public var foundations: [CollectionModel] { table.collections.filter { $0.id.hasPrefix("foundation/") } }
  public var waste: [CollectionModel] { table.collections.filter { $0.id == "waste" } }
  public var hasStock: Bool { !table["stock"].isEmpty || !table["waste"].isEmpty }

  /// The seats' names, and what others are dragging.
  public var players: String {
    table.seats.map { seat in
      let drag = table.drags.first { seat.connectedSessions.contains($0.session) }
      return seat.name + (drag.map { " has \($0.items.count) in hand" } ?? "")
    }.joined(separator: ", ")
  }

  /// What went wrong last, or how the game ended.
  public var message: String {
    table.lastRefusal.map { $0.detail.isEmpty ? $0.reason.rawValue : $0.detail }
      ?? (table.status == TableState.open ? "" : table.status)
  }

  /// The name of a card, such as `10♥`.
  public static func name(of card: Item) -> String {
    guard case .number(let rank)? = card.face["rank"], case .text(let suit)? = card.face["suit"] else { return "🂠" }
    let ranks = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
    let suits = ["clubs": "♣", "diamonds": "♦", "hearts": "♥", "spades": "♠"]
    return ranks.indices.contains(Int(rank) - 1) ? ranks[Int(rank) - 1] + (suits[suit] ?? "?") : "?"
  }

  public func draw() { table.perform("draw") }

  /// Puts a card on the foundation that takes it, if there is one: what a double tap does.
  public func playUp(_ card: Item) {
    let targets = table.legalDestinations(for: [card.id]).filter { $0.id.hasPrefix("foundation/") }
    guard let target = targets.first else { return }
    table.reorder(ReorderDifference(sources: [card.id], destination: .end(of: target.collection)))
  }
}
