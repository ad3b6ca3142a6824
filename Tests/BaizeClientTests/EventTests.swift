import BaizeClient
import BaizeSync
import BaizeTable
import BaizeWire
import Testing

@Suite(.timeLimit(.minutes(1)))
struct EventTests {
  @Test func `the changes lead to the table's order`() async throws {
    let daemon = try TestDaemon()
    let client = try await daemon.join("t", as: "list?items=10")
    let following = Task {
      // Like a user interface: read once, then apply the changes.
      var shown: [ItemID] = []
      for await changes in client.changes {
        if changes.contains(.reloaded) {
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
    try await Task.sleep(for: .milliseconds(50))
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
    let daemon = try TestDaemon()
    let client = try await daemon.join("t", as: "list?items=10")
    var events = client.events(bufferedMax: 20).makeAsyncIterator()
    guard case .changed([.reloaded]) = await events.next() else {
      Issue.record("the first event is not a reload")
      return
    }
    for number in 0..<500 {
      let moved = client.move(fromOffsets: [number % 10], toOffset: (number * 7) % 10, in: "items")
      if number % 50 == 0 { _ = try await moved.outcome }
    }
    #expect(await eventually { client.pendingCount == 0 })
    guard case .changed([.reloaded]) = await events.next() else {
      Issue.record("the queue did not overflow")
      return
    }
    // The queue behind the reload is bounded.
    await client.leave()
    var count = 0
    var last: ClientEvent?
    while let event = await events.next() {
      count += 1
      last = event
    }
    #expect(count <= 20)
    guard case .ended(let goodbye)? = last else {
      Issue.record("the last event is not the end")
      return
    }
    #expect(goodbye.reason == .leaving)
    #expect(await events.next() == nil)
  }

  @Test func `cancelling a reader ends its sequence`() async throws {
    let daemon = try TestDaemon()
    let client = try await daemon.join("t", as: "list")
    let loop = Task {
      var count = 0
      for await _ in client.events { count += 1 }
      return count
    }
    try await Task.sleep(for: .milliseconds(30))
    loop.cancel()
    #expect(await loop.value >= 1)
    #expect(client.connection == .live)
  }

  @Test func `several readers get the same events`() async throws {
    let daemon = try TestDaemon()
    let client = try await daemon.join("t", as: "list?items=3")
    let readers = (0..<3).map { _ in
      Task {
        var revisions: [Revision] = []
        for await case .diff(let diff) in client.events { revisions.append(diff.revision) }
        return revisions
      }
    }
    try await Task.sleep(for: .milliseconds(30))
    for _ in 0..<20 { _ = try await client.move(fromOffsets: [0], toOffset: 3, in: "items").outcome }
    await client.leave()
    let first = await readers[0].value
    #expect(first.count == 20)
    #expect(zip(first, first.dropFirst()).allSatisfy { $0.next == $1 })
    for reader in readers { #expect(await reader.value == first) }
  }
}
