import BaizeClient
import BaizeSync
import BaizeTable
import Observation
import Synchronization
import TestSupport
import Testing

@MainActor
@Suite(.hangGuard)
struct ModelTests {
  private let daemon: TestDaemon

  init() throws { daemon = try TestDaemon() }

  @Test func `operations show before the call returns`() async throws {
    let model = TableModel(try await daemon.join("t", as: "list?items=4"))
    let ids = model["items"].map(\.id)
    #expect(model.connection == .live)
    let handle = try #require(model.collection("items")?.handle)
    let difference = ReorderDifference(sources: [ids[3], ids[1]], destination: .before(ids[0], in: handle))
    let submission = model.reorder(difference)
    #expect(model["items"].map(\.id) == [ids[3], ids[1], ids[0], ids[2]])
    _ = try await submission.outcome
    #expect(model["items"].map(\.id) == [ids[3], ids[1], ids[0], ids[2]])
    #expect(model["nowhere"].isEmpty)
  }

  @Test func `others' moves notify only the collections that they change`() async throws {
    let model = TableModel(try await daemon.join("t", as: "kanban?columns=fixed&cards=3"))
    let other = try await daemon.join("t")
    let handle = try #require(other.handle(of: "done"))
    let doneChanged = Mutex(false)
    let doingChanged = Mutex(false)
    withObservationTracking {
      _ = model["done"]
    } onChange: {
      doneChanged.withLock { $0 = true }
    }
    withObservationTracking {
      _ = model["doing"]
    } onChange: {
      doingChanged.withLock { $0 = true }
    }
    let card = try #require(other.itemIDs(in: "todo").first)
    other.reorder(ReorderDifference(sources: [card], destination: .end(of: handle)))
    #expect(await eventually { model["done"].map(\.id) == [card] })
    #expect(doneChanged.withLock { $0 })
    #expect(!doingChanged.withLock { $0 }, "a change to one column does not redraw another")
    #expect(model["todo"].count == 2)
  }

  @Test func `changes of faces alone are shown`() async throws {
    let model = TableModel(try await daemon.join("t", as: "kanban?columns=fixed&cards=2"))
    let other = TableModel(try await daemon.join("t"))
    let card = try #require(model["todo"].first)
    model.update(card.id, attributes: [Attribute("title", "Plan")])
    #expect(model["todo"].first?.face["title"] == .text("Plan"), "at once")
    #expect(await eventually { other["todo"].first?.face["title"] == .text("Plan") })
    let cards = TableModel(try await daemon.join("cards", as: "klondike", seed: 1))
    // The card is drawn face down here, and the daemon's answer shows it.
    cards.perform("draw")
    #expect(cards["waste"].count == 1 && cards["waste"][0].face == Face())
    #expect(await eventually { cards["waste"][0].face["rank"] != nil })
  }

  @Test func `the last refusal is kept`() async throws {
    let model = TableModel(try await daemon.join("t", as: "klondike", seed: 1))
    let handle = try #require(model.collection("pile/0")?.handle)
    let hidden = try #require(model["pile/6"].first)
    let order = model["pile/6"]
    let difference = ReorderDifference(sources: [hidden.id], destination: .end(of: handle))
    model.reorder(difference)
    #expect(model.lastRefusal != nil)
    #expect(model["pile/6"] == order)
    model.lastRefusal = nil
    model.client.submit(.reorder(difference, suggested: []), sendsRefused: true)
    #expect(await eventually { model.lastRefusal != nil })
    #expect(model["pile/6"] == order)
  }

  @Test(arguments: (1...8).map(UInt64.init)) func `a model converges with its client`(seed: UInt64) async throws {
    let model = TableModel(try await daemon.join("t", as: "playlist"))
    let other = try await daemon.join("t")
    var random = RandomSource(seed: seed)
    let names = ["library", "queue", "bin"]
    for step in 0..<150 {
      let client = random.next(below: 2) == 0 ? model.client : other
      let all = names.flatMap { client.itemIDs(in: $0) }
      let item = all[Int(random.next(below: UInt64(all.count)))]
      let target = try #require(client.handle(of: names[Int(random.next(below: 3))]))
      client.reorder(ReorderDifference(sources: [item], destination: .end(of: target)))
      if step % 10 == 0 { try await Task.sleep(for: .microseconds(300)) }
    }
    #expect(await eventually { model.client.pendingCount == 0 && other.pendingCount == 0 })
    #expect(await eventually { model.client.revision == other.revision })
    #expect(await eventually { names.allSatisfy { model[$0] == model.client.items(in: $0) } })
    #expect(
      model["queue"].map { model.client.tableID(of: $0.id) } == other.itemIDs(in: "queue").map(other.tableID))
  }

  @Test func `the model shows presence and the end`() async throws {
    let model = TableModel(try await daemon.join("t", as: "list?items=2", name: "Ada"))
    let other = try await daemon.join("t", name: "Bob")
    #expect(await eventually { model.seats.map(\.name) == ["Ada", "Bob"] })
    other.beginDrag(other.itemIDs(in: "items").prefix(1))
    #expect(await eventually { model.drags.count == 1 })
    await other.leave()
    #expect(await eventually { model.drags.isEmpty && model.seats.count == 1 })
    await model.client.leave()
    #expect(
      await eventually {
        if case .ended = model.connection { true } else { false }
      })
  }

  @Test func `the model is released`() async throws {
    weak var released: TableModel?
    do {
      let model = TableModel(try await daemon.join("t", as: "list?items=2"))
      released = model
      #expect(model["items"].count == 2)
    }
    #expect(await eventually { released == nil })
  }
}
