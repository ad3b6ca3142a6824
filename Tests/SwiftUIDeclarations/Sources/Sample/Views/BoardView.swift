import BaizeClient
import BaizeTable
import Bridge  // `BaizeSwiftUI` in an app
import SwiftUI

/// A board. Cards are dragged within a column and from one to another.
@available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
struct BoardView: View {
  let board: Board

  var body: some View {
    HStack(spacing: 12) {
      ForEach(board.columns) { column in
        VStack(spacing: 4) {
          Text("\(column.id) \(column.items.count)")
          Button("Add") { board.add("New card") }.disabled(!column.acceptsInsertions)
          Button(column.isEnabled ? "Freeze" : "Thaw") { board.toggle(column) }.disabled(!board.table.isHost)
          ForEach(column.items) { card in
            Text(Board.title(of: card))
              .draggable(containerItemID: card.id)
              .moveDisabled(!board.table.canMove(card.id))
          }
          .reorderable(collectionID: column.handle)
        }
      }
    }
    .reorderContainer(of: board.table, formation: .list)
  }
}

/// One column as a list that is reordered by `onMove`, which older systems have as well.
struct ColumnList: View {
  let column: CollectionModel
  let board: Board

  var body: some View {
    List {
      ForEach(column.items) { card in
        HStack(spacing: 8) {
          Text(Board.title(of: card))
          Button("Remove") { board.remove(card) }
        }
        .moveDisabled(!board.table.canMove(card.id))
      }
      .onMove { sources, destination in
        board.table.move(fromOffsets: sources, toOffset: destination, in: column.id)
      }
    }
  }
}
