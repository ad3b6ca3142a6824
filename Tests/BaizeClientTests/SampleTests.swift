import BaizeClient
import BaizeTable
import BaizeWire
import SampleModel
import TestSupport
import Testing

/// The sample app's model, whose views are only type-checked, at a daemon.
@MainActor
@Suite(.hangGuard)
struct SampleTests {
  @Test func `two people play at the sample's card table`() async throws {
    let daemon = try TestDaemon()
    let one = try await CardTable(joining: "evening", at: "\(daemon.address)", as: "Ada", timeout: timeLimit)
    let other = try await CardTable(joining: "evening", at: "\(daemon.address)", as: "Bob", timeout: timeLimit)
    #expect(one.piles.count == 7 && one.foundations.count == 4 && one.waste.count == 1)
    #expect(await eventually { one.players == "Ada, Bob" })
    #expect(one.piles[6].items.map(CardTable.name).filter { $0 == "🂠" }.count == 6)
    one.draw()
    let drawn = try #require(one.table["waste"].last)
    #expect(await eventually { other.table["waste"].count == 1 && one.table.client.pendingCount == 0 })
    // A drag of the top card, as the views make it.
    let top = try #require(one.piles[6].items.last)
    #expect(one.table.canMove(top.id) && one.table.lift([top.id]).map(\.id) == [top.id])
    one.table.beginDrag([top.id])
    #expect(await eventually { other.players == "Ada has 1 in hand, Bob" })
    let target = Destination.end(of: one.piles[0].handle)
    let verdict = one.table.dropConfiguration(forDragOf: [top.id], count: 1, over: target, suggested: [.move, .copy])
    let drop = one.table.drop(ReorderDifference(sources: [top.id], destination: target))
    one.table.endDrag()
    #expect((verdict.operation == .move) == (drop.refusal == nil))
    #expect(one.message == (drop.refusal?.detail ?? ""))
    #expect(await eventually { other.players == "Ada, Bob" })
    // Both go on, one drawing and one playing up what goes; then the copies agree.
    for _ in 0..<8 {
      other.draw()
      #expect(await eventually { one.table["waste"] == other.table["waste"] && other.table.client.pendingCount == 0 })
      for pile in one.piles + one.waste { pile.items.last.map(one.playUp) }
    }
    #expect(!drawn.id.isProvisional)
    #expect(
      await eventually {
        one.table.client.pendingCount == 0 && one.table.client.revision == other.table.client.revision
          && zip(one.table.collections, other.table.collections).allSatisfy { $0.items == $1.items }
      })
  }

  @Test func `the sample's board adds, moves, undoes, removes and freezes`() async throws {
    let daemon = try TestDaemon()
    let one = try await Board(joining: "sprint", at: "\(daemon.address)", as: "Ada", timeout: timeLimit)
    let other = try await Board(joining: "sprint", at: "\(daemon.address)", as: "Bob", timeout: timeLimit)
    for title in ["Plan", "Draw", "Build"] { _ = try await one.add(title).outcome }
    func titles(_ board: Board, _ column: Int) -> [String] { board.columns[column].items.map(Board.title) }
    #expect(titles(one, 0) == ["Plan", "Draw", "Build"])
    #expect(await eventually { titles(other, 0) == ["Plan", "Draw", "Build"] })
    // `onMove` with the offsets of a list.
    _ = try await other.table.move(fromOffsets: [0], toOffset: 3, in: other.columns[0].id).outcome
    #expect(await eventually { titles(one, 0) == ["Draw", "Build", "Plan"] })
    _ = try await other.table.undo()?.outcome
    #expect(await eventually { titles(one, 0) == ["Plan", "Draw", "Build"] })
    let card = try #require(one.columns[0].items.first)
    one.remove(card)
    one.toggle(one.columns[0])
    #expect(await eventually { titles(other, 0) == ["Draw", "Build"] && !other.columns[0].isEnabled })
    other.add("Late")
    #expect(titles(other, 0) == ["Draw", "Build"] && other.table.lastRefusal?.reason == .containerDisabled)
    one.toggle(one.columns[0])
    #expect(await eventually { other.columns[0].isEnabled })
  }
}
