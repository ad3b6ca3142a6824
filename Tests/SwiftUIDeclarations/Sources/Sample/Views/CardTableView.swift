import BaizeClient
import BaizeTable
import Bridge  // `BaizeSwiftUI` in an app
import SwiftUI

/// A klondike table: piles and the waste above, foundations below, all in one container.
@available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
struct CardTableView: View {
  let cards: CardTable
  @Environment(\.undoManager) private var undoManager

  var body: some View {
    VStack(spacing: 12) {
      HStack(spacing: 8) {
        Button("Draw") { cards.draw() }.disabled(!cards.hasStock)
        Button("Undo") { cards.table.undo() }.disabled(!cards.table.canUndo)
        Button("Redo") { cards.table.redo() }.disabled(!cards.table.canRedo)
        Text(cards.players)
        Text(cards.message)
      }
      HStack(spacing: 8) { ForEach(cards.waste + cards.foundations) { PileView(pile: $0, cards: cards) } }
      HStack(spacing: 8) { ForEach(cards.piles) { PileView(pile: $0, cards: cards) } }
    }
    .reorderContainer(of: cards.table, formation: .pile)
    .onAppear { cards.table.registerUndo(with: undoManager) }
  }
}

/// One pile. An empty one is still a place to drop a card.
@available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
struct PileView: View {
  let pile: CollectionModel
  let cards: CardTable

  var body: some View {
    VStack(spacing: -40) {
      ForEach(pile.items) { card in
        Text(CardTable.name(of: card))
          .draggable(containerItemID: card.id)
          .moveDisabled(!cards.table.canMove(card.id))
      }
      .reorderable(collectionID: pile.handle)
      if pile.items.isEmpty { Text("▢") }
    }
    .opacity(pile.isEnabled ? 1 : 0.5)
    .dropConfiguration { session in cards.table.dropConfiguration(for: session, end: pile.handle) }
    .dropDestination(for: BaizeTable.Item.self, isEnabled: pile.isEnabled) { items, session in
      cards.table.drop(items, session, end: pile.handle)
    }
  }
}
