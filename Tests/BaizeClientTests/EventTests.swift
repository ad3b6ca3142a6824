import BaizeClient
import BaizeSync
import BaizeTable
import BaizeWire
import Synchronization
import TestSupport
import Testing

@Suite(.hangGuard)
struct EventTests {
  private let daemon: TestDaemon

  init() throws { daemon = try TestDaemon() }

  @Test func `the changes lead to the table's order`() async throws {
    let client = try await daemon.join("t", as: "list?items=10")
    let hasRead = Atomic(false)
    let following = Task {
      // Like a user interface: read once, then apply the changes.
      var shown: [ItemID] = []
      for await changes in client.changes {
        if changes.contains(.reloaded) {
          hasRead.store(true, ordering: .relaxed)
          shown = client.itemIDs(in: "items")
          continue
        }
        var removed: [Int] = []
        var inserted: [(Int, ItemID)] = []
        for change in changes {
          switch change {
          case .moved(let item, let from, let to):
            removed.append(from.offset)
            inserted.append((to.offset, item))
          case .removed(_, let position): removed.append(position.offset)
          case .inserted(let item, let position): inserted.append((position.offset, item))
          case .renamed, .renamedCollection, .updated, .status, .variables, .seats, .enabled, .counted, .opened,
            .closed,
            .reloaded:
            break
          }
        }
        for offset in removed.sorted(by: >) { shown.remove(at: offset) }
        for (offset, item) in inserted.sorted(by: { $0.0 < $1.0 }) { shown.insert(item, at: offset) }
      }
      return shown
    }
    #expect(await eventually { hasRead.load(ordering: .relaxed) })
    for number in 0..<200 {
      if number % 3 == 0 {
        client.insert([NewItem()], in: "items", before: client.itemIDs(in: "items").first)
      } else {
        client.move(fromOffsets: [number % 10], toOffset: (number * 7) % 10, in: "items")
      }
      if number % 20 == 0 { try await Task.sleep(for: .milliseconds(1)) }
    }
    #expect(await eventually { client.pendingCount == 0 })
    let final = client.itemIDs(in: "items")
    await client.leave()
    #expect(await following.value == final)
  }

  @Test func `a slow reader gets one reload in place of what it missed`() async throws {
    let client = try await daemon.join("t", as: "list?items=10")
    var events = client.events(bufferedMax: 20).makeAsyncIterator()
    #expect(await events.next()?.isReload == true, "the first event is one")
    for number in 0..<500 {
      let moved = client.move(fromOffsets: [number % 10], toOffset: (number * 7) % 10, in: "items")
      if number % 50 == 0 { _ = try await moved.outcome }
    }
    #expect(await eventually { client.pendingCount == 0 })
    #expect(await events.next()?.isReload == true, "the queue overflows")
    // The queue behind the reload is bounded.
    await client.leave()
    var count = 0
    var last: ClientEvent?
    while let event = await events.next() {
      count += 1
      last = event
    }
    #expect(count <= 20)
    #expect(last?.end?.reason == .leaving)
    #expect(await events.next() == nil)
  }

  @Test func `cancelling a reader ends its sequence`() async throws {
    let client = try await daemon.join("t", as: "list")
    let count = Atomic(0)
    let loop = Task { for await _ in client.events { count.add(1, ordering: .relaxed) } }
    #expect(await eventually { count.load(ordering: .relaxed) >= 1 })
    loop.cancel()
    await loop.value
    #expect(client.connection == .live)
  }

  @Test func `several readers get the same events`() async throws {
    let client = try await daemon.join("t", as: "list?items=3")
    let readers = (0..<3).map { _ in
      let events = client.events.makeAsyncIterator()
      return Task {
        var events = events
        var revisions: [Revision] = []
        while let event = await events.next() { if case .diff(let diff) = event { revisions.append(diff.revision) } }
        return revisions
      }
    }
    for _ in 0..<20 { _ = try await client.move(fromOffsets: [0], toOffset: 3, in: "items").outcome }
    await client.leave()
    let first = await readers[0].value
    #expect(first.count == 20)
    #expect(zip(first, first.dropFirst()).allSatisfy { $0.next == $1 })
    for reader in readers { #expect(await reader.value == first) }
  }
}

extension ClientEvent {
  fileprivate var isReload: Bool { if case .changed([.reloaded]) = self { true } else { false } }
  fileprivate var end: Goodbye? { if case .ended(let goodbye) = self { goodbye } else { nil } }
}
