import BaizeClient
import BaizeSync
import BaizeTable
import BaizeWire
import TestSupport
import Testing

@MainActor
@Suite(.hangGuard)
struct ModelDragTests {
  private let daemon: TestDaemon

  init() throws { daemon = try TestDaemon() }

  // All models of a process share the record of lifts: no other test runs between a lift and its drop, where no
  // `await` is.
  @Test func `a drag is lifted, hovers, and drops with the operation that it was shown`() async throws {
    let model = TableModel(try await daemon.join("t", as: "playlist"))
    let song = try #require(model["library"].first)
    let queue = try #require(model.collection("queue"))
    #expect(model.lift([song.id]) == [song])
    let destination = Destination.end(of: queue.handle)
    func verdict(_ suggested: DropOperation.Set) -> DropOperation {
      model.dropConfiguration(forDragOf: [song.id], count: 1, over: destination, suggested: suggested).operation
    }
    // A library offers copies; a drag that offers only moves is refused.
    #expect(verdict(.move) == .forbidden && verdict([.copy, .move]) == .copy)
    let drop = model.drop(ReorderDifference(sources: [song.id], destination: destination))
    #expect(drop.refusal == nil && model["library"].contains(song) && model["queue"].count == 1)
    guard case .accepted(let diff) = try await drop.outcome else { return #expect(Bool(false), "not accepted") }
    #expect(diff.operation == .copy)
    _ = model.lift([song.id])
    #expect(verdict(.move) == .forbidden)
    let refused = model.drop(ReorderDifference(sources: [song.id], destination: destination))
    #expect(refused.refusal?.reason == .operationNotSupported, "the drop is what the last hover offered")
  }

  @Test func `a run is lifted as one, and what cannot be moved is not lifted`() async throws {
    let model = TableModel(try await daemon.join("t", as: "klondike", seed: 1))
    let hidden = try #require(model["pile/6"].first)
    #expect(model.lift([hidden.id]).isEmpty && !model.canMove(hidden.id))
    let top = try #require(model["pile/6"].last)
    #expect(model.lift([top.id]) == [top] && model.canMove(top.id))
    let pile = try #require(model.collection("pile/6"))
    #expect(pile.offers == .move && !pile.acceptsInsertions)
    #expect(model.collection("stock")?.offers == [])
    let nowhere = model.dropConfiguration(forDragOf: [top.id], count: 1, over: nil)
    #expect(nowhere.refusal?.reason == .positionNotAllowed)
  }

  @Test func `items of another table with the same ids are inserted, and move nothing here`() async throws {
    let board = TableModel(try await daemon.join("board", as: "kanban?columns=fixed&cards=3"))
    let source = TableModel(try await daemon.join("source", as: "kanban?columns=fixed&cards=3"))
    let ids = board["todo"].map(\.id)
    #expect(Set(ids) == Set(source["todo"].map(\.id)), "the tables use the same ids")
    let todo = try #require(board.collection("todo")?.handle)
    #expect(board.lift([ids[0]]).count == 1)
    let items = source.lift([ids[0]])
    let hover = board.dropConfiguration(forDragOf: [ids[0]], count: 1, over: .end(of: todo))
    #expect(hover.operation == .copy)
    let doing = try #require(board.collection("doing")?.handle)
    let closed = board.dropConfiguration(forDragOf: [ids[0]], count: 1, over: .end(of: doing))
    #expect(closed.refusal?.reason == .foreignItem)
    _ = try await board.drop(items, ids: [ids[0]], at: .end(of: todo))?.outcome
    #expect(board["todo"].count == 4 && board["todo"].prefix(3).map(\.id) == ids)
    #expect(board["todo"].last?.face == items[0].face)
    // From another app there are no ids, and without a gap they go to the end of the first collection that takes them.
    #expect(board.dropConfiguration(forDragOf: [], count: 2, over: nil).operation == .copy)
    #expect(
      board.dropConfiguration(forDragOf: [], count: 2, over: nil, suggested: .move).refusal?.reason
        == .operationNotSupported)
    _ = try await board.drop(items, ids: [], at: nil)?.outcome
    #expect(board["todo"].count == 5)
    let cards = TableModel(try await daemon.join("cards", as: "klondike", seed: 1))
    #expect(cards.drop(items, ids: [], at: nil) == nil)
    #expect(cards.dropConfiguration(forDragOf: [], count: 1, over: nil).refusal?.reason == .foreignItem)
  }

  @Test func `two fingers drag two items, and each drop is recognized`() async throws {
    let model = TableModel(try await daemon.join("t", as: "list?items=4"))
    let items = model["items"]
    let end = Destination.end(of: model.collections[0].handle)
    #expect(model.lift([items[0].id]).count == 1 && model.lift([items[1].id]).count == 1)
    for item in items.prefix(2) { model.drop([item], ids: [item.id], at: end) }
    #expect(model["items"].map(\.id) == [items[2], items[3], items[0], items[1]].map(\.id), "moved, not inserted")
    #expect(model.drop([items[0]], ids: [items[0].id], at: nil)?.operation == nil, "there is no gap to move to")
    #expect(model["items"].count == 4)
  }

  @Test func `others see the drag`() async throws {
    let model = TableModel(try await daemon.join("t", as: "list?items=3"))
    let other = TableModel(try await daemon.join("t"))
    let lifted = model.lift([model["items"][0].id])
    model.beginDrag(lifted.map(\.id), formation: .pile)
    #expect(await eventually { other.drags.first?.formation == .pile })
    model.beginDrag(lifted.map(\.id), formation: .list)
    let end = Destination.end(of: model.collections[0].handle)
    model.moveDrag(over: end, x: 160, y: 1e300, width: 320, height: 200)
    #expect(await eventually { other.drags.first?.x == 500 && other.drags.first?.y == 1_000 })
    #expect(other.drags.first?.items.first == lifted[0].id, "the drag has not begun anew")
    for size in [0, -1, .nan, .infinity] { model.moveDrag(over: nil, x: .infinity, y: -5, width: size, height: size) }
    #expect(await eventually { other.drags.first?.x == 0 && other.drags.first?.y == 0 })
    model.endDrag(isCancelled: true)
    #expect(await eventually { other.drags.isEmpty })
  }
}
