import BaizeClient
import BaizeSync
import BaizeTable
import BaizeWire
import Synchronization
import TestSupport
import Testing

/// Operations through the library: a refused one costs the app nothing else (I12).
@Suite(.hangGuard)
struct OperationTests {
  private let daemon: TestDaemon

  init() throws { daemon = try TestDaemon() }

  @Test func `I1: two clients converge`() async throws {
    let one = try await daemon.join("t", as: "list?items=20")
    let other = try await daemon.join("t")
    var random = RandomSource(seed: 1)
    for _ in 0..<100 {
      let client = random.next(below: 2) == 0 ? one : other
      let ids = client.itemIDs(in: "items")
      let source = ids[Int(random.next(below: UInt64(ids.count)))]
      let anchor = ids[Int(random.next(below: UInt64(ids.count)))]
      let handle = try #require(client.handle(of: "items"))
      client.reorder(ReorderDifference(sources: [source], destination: .before(anchor, in: handle)))
      if random.next(below: 5) == 0 { try await Task.sleep(for: .microseconds(200)) }
    }
    #expect(
      await eventually {
        one.pendingCount == 0 && other.pendingCount == 0 && one.revision == other.revision
      })
    #expect(one.itemIDs(in: "items") == other.itemIDs(in: "items"))
    #expect(one.count(in: "items") == 20)
  }

  @Test func `an operation is accepted, unchanged, accepted in part or refused`() async throws {
    let client = try await daemon.join("t", as: "kanban?columns=fixed&cards=6&doing=3")
    let handle = try #require(client.handle(of: "doing"))
    let cards = client.itemIDs(in: "todo")
    let moved = client.reorder(ReorderDifference(sources: cards.prefix(2), destination: .end(of: handle)))
    // The move shows before the daemon has answered.
    #expect(client.itemIDs(in: "doing") == Array(cards.prefix(2)))
    #expect(moved.changes.count == 2)
    #expect(try await moved.outcome.diff?.operation == .move)

    let nothing = client.move(fromOffsets: [0], toOffset: 1, in: "todo")
    #expect(try await nothing.outcome == .unchanged)

    // The capacity has room for one of the two: partial acceptance.
    let part = client.reorder(ReorderDifference(sources: cards[2..<4], destination: .end(of: handle)))
    #expect(part.refusal == nil)
    _ = try await part.outcome
    #expect(client.count(in: "doing") == 3)

    let full = client.reorder(ReorderDifference(sources: [cards[5]], destination: .end(of: handle)))
    #expect(full.refusal?.reason == .capacityExceeded)
    #expect(try await full.outcome == .refused(try #require(full.refusal)))
    #expect(client.pendingCount == 0)
  }

  @Test func `I10: a refused operation is rolled back`() async throws {
    let one = try await daemon.join("t", as: "klondike", seed: 3)
    let other = try await daemon.join("t")
    // Both draw at the same time: one card is drawn, and the other draw is rolled back.
    let before = one.count(in: "stock")
    let first = one.perform("draw")
    let second = other.perform("draw")
    let outcomes = [try await first.outcome, try await second.outcome]
    let refusals = outcomes.compactMap(\.refusal?.reason)
    // No refusal if one client had received the other's draw already.
    if refusals.isEmpty {
      #expect(await one.reaches(other.revision))
    } else {
      #expect(refusals == [.contended])
      #expect(await eventually { one.count(in: "stock") == before - 1 && other.count(in: "stock") == before - 1 })
    }
  }

  @Test func `an operation that the client refuses can be sent to the daemon`() async throws {
    let client = try await daemon.join("t", as: "klondike", seed: 3)
    let handle = try #require(client.handle(of: "pile/0"))
    let hidden = try #require(client.itemIDs(in: "pile/6").first)
    let order = client.collections.map { client.itemIDs(in: $0.id) }
    let submission = client.submit(.move([hidden], to: .end(of: handle)), sendsRefused: true)
    let refusal = try #require(try await submission.outcome.refusal)
    #expect([Reason.faceDown, .faceHidden].contains(refusal.reason))
    #expect(!refusal.rule.isEmpty)
    #expect(client.collections.map { client.itemIDs(in: $0.id) } == order)
  }

  @Test func `inserted items can be moved before the answer`() async throws {
    let client = try await daemon.join("t", as: "list?items=2")
    let ids = client.itemIDs(in: "items")
    let inserted = client.insert([NewItem(attributes: [Attribute("number", 9)])], in: "items")
    let made = try #require(inserted.createdItems.first)
    let handle = try #require(client.handle(of: "items"))
    let moved = client.reorder(ReorderDifference(sources: [made], destination: .before(ids[0], in: handle)))
    _ = try await inserted.outcome
    #expect(try await moved.outcome.isAccepted)
    #expect(client.numbers().first == 9)
    #expect(client.itemIDs(in: "items") == [made] + ids)
    // The id stays valid after the answer.
    let later = client.reorder(ReorderDifference(sources: [made], destination: .end(of: handle)))
    #expect(try await later.outcome.isAccepted)
    #expect(client.numbers().last == 9)
  }

  @Test func `updates and removals reach the others`() async throws {
    let one = try await daemon.join("t", as: "list?items=3")
    let other = try await daemon.join("t")
    let ids = one.itemIDs(in: "items")
    one.update(ids[0], attributes: [Attribute("title", "first")])
    let removed = one.remove([ids[1]])
    _ = try await removed.outcome
    #expect(await eventually { other.itemIDs(in: "items") == [ids[0], ids[2]] })
    #expect(other.item(ids[0])?.face["title"] == .text("first"))
  }

  @Test func `cancelling a wait keeps the operation`() async throws {
    let client = try await daemon.join("t", as: "list?items=3")
    await daemon.pauseReading(true)
    let submission = client.move(fromOffsets: [0], toOffset: 3, in: "items")
    let isWaiting = Atomic(false)
    let waiting = Task {
      isWaiting.store(true, ordering: .relaxed)
      return try await submission.outcome
    }
    #expect(await eventually { isWaiting.load(ordering: .relaxed) })
    waiting.cancel()
    await #expect(throws: CancellationError.self) { _ = try await waiting.value }
    await daemon.pauseReading(false)
    #expect(try await submission.outcome.isAccepted)
  }

  @Test func `leaving resolves pending outcomes as unknown`() async throws {
    let client = try await daemon.join("t", as: "list?items=3")
    await daemon.pauseReading(true)
    let submission = client.move(fromOffsets: [0], toOffset: 3, in: "items")
    Task { await client.leave() }
    #expect(try await submission.outcome == .unknown)
  }

  @Test func `I8: a client has no more operations pending than the daemon allows`() async throws {
    var limits = SyncLimits.patient
    limits.sessions.pendingOperationsMax = 8
    let daemon = try TestDaemon(limits: limits)
    let client = try await daemon.join("t", as: "list?items=3")
    await daemon.pauseReading(true)
    let submissions = (0..<10).map { _ in client.move(fromOffsets: [0], toOffset: 3, in: "items") }
    #expect(submissions.prefix(8).allSatisfy { $0.refusal == nil })
    #expect(submissions.suffix(2).allSatisfy { $0.refusal?.reason == .tooManyPending })
    await daemon.pauseReading(false)
    for submission in submissions.prefix(8) {
      #expect(try await submission.outcome.isAccepted)
    }
  }

  @Test func `I12: many new items are inserted in batches as one block, whatever others insert`() async throws {
    let one = try await daemon.join("t", as: "list?items=3")
    let other = try await daemon.join("t")
    let anchor = try #require(one.itemIDs(in: "items").last)
    var items = (1...2_600).map { NewItem(attributes: [Attribute("number", Int64(1_000 + $0))]) }
    items[7] = NewItem(
      attributes: [Attribute("number", 1_008)],
      representations: [Representation(contentType: "t", data: [UInt8](repeating: 1, count: 200_000))])
    let whole = one.insert(items, in: "items", before: anchor)
    #expect(whole.refusal?.reason == .tooManyItems && whole.changes.isEmpty)
    let submissions = one.insertInBatches(items, in: "items", before: anchor)
    for _ in 0..<20 { other.insert([NewItem()], in: "items", before: anchor) }
    #expect(submissions.count == 6 && submissions.flatMap(\.createdItems).count == items.count)
    for submission in submissions { #expect(try await submission.outcome.isAccepted) }
    #expect(await eventually { one.pendingCount == 0 && other.pendingCount == 0 && other.revision == one.revision })
    let numbers = one.numbers().filter { $0 > 1_000 }
    let first = try #require(one.numbers().firstIndex(of: 1_001))
    #expect(numbers == (1...2_600).map { 1_000 + $0 } && other.numbers() == one.numbers())
    #expect(Array(one.numbers()[first..<first + 2_600]) == numbers, "nothing stands between them")
    #expect(one.insertInBatches([], in: "items").isEmpty)
    #expect(one.insertInBatches([items[0]], in: "nowhere").map(\.refusal?.reason) == [.unknownCollection])
  }
}
