import BaizeClient
import BaizeSync
import BaizeTable
import BaizeWire
import TestSupport
import Testing

@MainActor
@Suite(.hangGuard)
struct ModelUndoTests {
  private let daemon: TestDaemon

  init() throws { daemon = try TestDaemon() }

  private static func ids(_ model: TableModel) -> [ItemID] { model["items"].map(\.id) }

  private static func move(_ item: ItemID, _ model: TableModel) -> Submission {
    model.reorder(ReorderDifference(sources: [item], destination: .end(of: model.collections[0].handle)))
  }

  @Test func `undo and redo walk through the user's operations, last first`() async throws {
    let model = TableModel(try await daemon.join("t", as: "list?items=4"))
    let start = Self.ids(model)
    var orders = [start]
    #expect(!model.canUndo && !model.canRedo && model.undo() == nil && model.redo() == nil)
    for item in start.prefix(2) {
      _ = try await Self.move(item, model).outcome
      orders.append(Self.ids(model))
    }
    model.undo()
    #expect(Self.ids(model) == orders[1] && model.canRedo)
    model.undo()
    #expect(Self.ids(model) == start && !model.canUndo)
    model.redo()
    #expect(Self.ids(model) == orders[1])
    model.redo()
    #expect(Self.ids(model) == orders[2] && !model.canRedo)
    let last = try #require(model.undo())
    _ = try await last.outcome
    #expect(await eventually { model.client.pendingCount == 0 })
    #expect(Self.ids(model) == orders[1], "the daemon agrees")
    _ = Self.move(start[3], model)
    #expect(!model.canRedo, "a new operation ends what can be redone")
  }

  @Test func `operations without effect are no steps`() async throws {
    let model = TableModel(try await daemon.join("t", as: "klondike", seed: 1))
    let handle = model.collections[0].handle
    let hidden = try #require(model["pile/6"].first)
    model.reorder(ReorderDifference(sources: [hidden.id], destination: .end(of: handle)))
    #expect(model.lastRefusal != nil && !model.canUndo, "refused here")
    let top = try #require(model["pile/6"].last)
    let own = try #require(model.collection("pile/6")?.handle)
    model.reorder(ReorderDifference(sources: [top.id], destination: .end(of: own)))
    #expect(!model.canUndo, "it is there already")
  }

  @Test func `an operation that the daemon refuses is dropped, and undo reaches the one before`() async throws {
    let other = try await daemon.join("t", as: "kanban?columns=fixed&cards=3&doing=1")
    let model = TableModel(try await daemon.join("t"))
    let todo = model["todo"].map(\.id)
    let (doing, done) = (model.collections[1].handle, model.collections[2].handle)
    _ = try await model.reorder(ReorderDifference(sources: [todo[0]], destination: .end(of: done))).outcome
    await daemon.pauseReading(true)
    let late = model.reorder(ReorderDifference(sources: [todo[1]], destination: .end(of: doing)))
    other.reorder(ReorderDifference(sources: [todo[2]], destination: .end(of: doing)))
    // The other's connection is read first: it joined first.
    await daemon.pauseReading(false)
    if let refusal = try await late.outcome.refusal {
      #expect(refusal.reason == .capacityExceeded)
      #expect(await eventually { model.lastRefusal == refusal })
      model.undo()
      #expect(model["todo"].map(\.id).contains(todo[0]) && !model.canUndo)
    } else {
      model.undo()
      #expect(model["done"].map(\.id) == [todo[0]] && model.canUndo, "the other one lost the race")
    }
  }

  @Test func `an undo that comes too late says so, and the next one goes on`() async throws {
    let model = TableModel(try await daemon.join("t", as: "list?items=4"))
    let other = try await daemon.join("t")
    let start = Self.ids(model)
    for item in start.prefix(2) { _ = try await Self.move(item, model).outcome }
    #expect(await eventually { other.revision == model.client.revision })
    let difference = ReorderDifference(
      sources: [start[1]], destination: .before(start[2], in: model.collections[0].handle))
    _ = try await other.reorder(difference).outcome
    #expect(await eventually { Self.ids(model) == other.itemIDs(in: "items") })
    let undo = try #require(model.undo())
    #expect(try await undo.outcome.refusal != nil)
    #expect(await eventually { model.lastRefusal?.reason == .undoTooLate && !model.canRedo })
    _ = try await model.undo()?.outcome
    #expect(Self.ids(model).first == start[0] && !model.canUndo)
  }

  @Test func `a number of steps is kept`() async throws {
    let model = TableModel(try await daemon.join("t", as: "list?items=3"))
    var registered = 0
    model.undoRegistration = { registered += 1 }
    for _ in 0..<ClientLimits.undoStepsMax + 20 { _ = try await Self.move(Self.ids(model)[0], model).outcome }
    #expect(registered == ClientLimits.undoStepsMax + 20)
    var undone = 0
    while let undo = model.undo(), case .accepted = try await undo.outcome { undone += 1 }
    #expect(undone == ClientLimits.undoStepsMax)
  }

  @Test func `host actions are no steps, and show who may act`() async throws {
    let model = TableModel(try await daemon.join("t", as: "list?items=3"))
    let guest = TableModel(try await daemon.join("t"))
    let watcher = TableModel(try await daemon.join("t", role: .spectator))
    #expect(model.isHost && !guest.isHost && !watcher.isHost)
    #expect(model.isEnabled && guest.isEnabled && !watcher.isEnabled)
    #expect(model.seat != guest.seat && watcher.seat == .spectator)
    let item = Self.ids(model)[0]
    #expect(guest.canMove(item) && !watcher.canMove(item))
    _ = try await model.perform(.freeze(model.collections[0].handle)).outcome
    #expect(!model.canUndo)
    #expect(await eventually { !guest.isEnabled && !guest.collections[0].isEnabled && !guest.canMove(item) })
    _ = try await model.perform(.thaw(model.collections[0].handle)).outcome
    #expect(await eventually { guest.isEnabled && guest.canMove(item) })
    #expect(try await guest.perform(.kick(model.seat)).outcome.refusal?.reason == .permissionDenied)
  }
}
