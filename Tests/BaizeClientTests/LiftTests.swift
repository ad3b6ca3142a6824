import BaizeClient
import BaizeSync
import BaizeTable
import BaizeWire
import TestSupport
import Testing

/// What comes along when an item is dragged, by the rules of the table type.
@Suite(.hangGuard)
struct LiftTests {
  private let daemon: TestDaemon

  init() throws { daemon = try TestDaemon() }

  /// A reference without any notion of shapes: the smallest block from the item on that the rules let go.
  private static func smallestBlock(from item: Int, of items: [ItemID], _ client: TableClient) -> [ItemID] {
    let seat = client.seat
    for end in item..<items.count {
      let block = Array(items[item...end])
      if client.read({ $0.refusalToLift(ItemList(block), by: seat) }) == .some(nil) { return block }
    }
    return []
  }

  @Test(arguments: [
    "klondike", "klondike?draw=3&foundationToTableau=false", "kanban?cards=6",
    "kanban?columns=fixed&cards=6", "hand", "nerts", "playlist", "speed",
    "list?items=8",
  ]) func `I5: a drag takes the smallest block that the rules let go, and a legal drop of it is accepted`(
    type: String
  ) async throws {
    let client = try await daemon.join("t", as: type, seed: 3)
    let other = try await daemon.join("t")
    var random = RandomSource(seed: 11)
    for _ in 0..<12 {
      var lifts: [[ItemID]] = []
      for collection in client.collections {
        let items = client.itemIDs(in: collection.id)
        for offset in items.indices {
          let lift = client.liftSet(startingAt: items[offset])
          // The state has the daemon's ids.
          let block = Self.smallestBlock(from: offset, of: items.map(client.tableID), client)
          #expect(lift.map(client.tableID) == block, "\(collection.id), offset \(offset)")
          if !lift.isEmpty { lifts.append(lift) }
        }
      }
      guard let lift = lifts.isEmpty ? nil : lifts[Int(random.next(below: UInt64(lifts.count)))] else { break }
      for destination in client.legalDestinations(for: lift).suffix(1) {
        let submission = client.reorder(ReorderDifference(sources: lift, destination: .end(of: destination.collection)))
        switch try await submission.outcome {
        case .accepted, .unchanged: break
        case .acceptedBefore, .invited, .refused, .unknown: Issue.record("\(try await submission.outcome)")
        }
      }
      if client.tableType?.actions.contains(where: { $0.name == "draw" }) == true {
        _ = try await client.perform("draw").outcome
      }
    }
    await other.leave()
  }

  @Test func `a run comes along from the touched card to the last`() async throws {
    let client = try await daemon.join("t", as: "klondike", seed: 1)
    // The deal has no run of two: play until one pile has it.
    var run: (pile: String, ids: [ItemID])?
    for pile in (0...6).map({ "pile/\($0)" }) where run == nil {
      guard let card = client.itemIDs(in: pile).last else { continue }
      for destination in client.legalDestinations(for: [card]) where destination.id.hasPrefix("pile") {
        guard destination.id != pile, run == nil else { continue }
        client.reorder(ReorderDifference(sources: [card], destination: .end(of: destination.collection)))
        run = (destination.id, Array(client.itemIDs(in: destination.id).suffix(2)))
      }
    }
    let (pile, ids) = try #require(run, "the deal of this seed has a move between piles")
    #expect(client.liftSet(startingAt: ids[0]) == ids)
    #expect(client.liftSet(startingAt: ids[1]) == [ids[1]])
    #expect(client.liftSet(of: ids) == ids)
    #expect(client.liftSet(of: [ids[0], ids[0]]).isEmpty && client.liftSet(of: []).isEmpty)
    #expect(client.liftSet(of: ids.reversed()).isEmpty, "a run leaves in its order")
    let hidden = try #require(
      client.items(in: pile).first { $0.face["rank"] == nil } ?? client.items(in: "pile/6").first)
    #expect(client.liftSet(startingAt: hidden.id).isEmpty)
    #expect(client.liftSet(startingAt: ItemID(rawValue: 1 << 40)).isEmpty)
  }

  @Test func `frozen collections, zones and spectators stop a drag before it begins`() async throws {
    let host = try await daemon.join("t", as: "nerts", seed: 2)
    let other = try await daemon.join("t")
    let watcher = try await daemon.join("t", role: .spectator)
    let ids = host.itemIDs(in: "work/1-0")
    let card = try #require(ids.last)
    let handle = try #require(host.handle(of: "work/1-0"))
    #expect(host.liftSet(startingAt: card) == [card])
    #expect(host.refusalToAct == nil && watcher.refusalToAct?.reason == .permissionDenied)
    #expect(watcher.liftSet(startingAt: card).isEmpty)
    #expect(other.liftSet(startingAt: card).isEmpty, "it is another seat's card")
    _ = try await host.perform(.freeze(handle)).outcome
    #expect(host.liftSet(startingAt: card).isEmpty)
    _ = try await host.perform(.thaw(handle)).outcome
    #expect(host.liftSet(startingAt: card) == [card])
  }

  @Test func `insertions of unknown contents are judged by what does not depend on contents`() async throws {
    let client = try await daemon.join("t", as: "kanban?columns=fixed&cards=2")
    let watcher = try await daemon.join("t", role: .spectator)
    let todo = try #require(client.handle(of: "todo"))
    let doing = try #require(client.handle(of: "doing"))
    #expect(client.dropConfiguration(inserting: 2, at: .end(of: todo)) == DropConfiguration(operation: .copy))
    #expect(client.dropConfiguration(inserting: 1, at: .end(of: doing)).refusal?.reason == .foreignItem)
    #expect(watcher.dropConfiguration(inserting: 1, at: .end(of: todo)).refusal?.reason == .permissionDenied)
    let nowhere = Destination.end(of: CollectionHandle(rawValue: 99))
    #expect(client.dropConfiguration(inserting: 1, at: nowhere).refusal?.reason == .unknownCollection)
    for count in [.min, -1, 0] {
      #expect(client.dropConfiguration(inserting: count, at: .end(of: todo)).operation == .copy)
    }
    #expect(client.dropConfiguration(inserting: .max, at: .end(of: todo)).refusal?.reason == .tooManyItems)
  }
}
