import BaizeClient
import BaizeSync
import BaizeTable
import BaizeWire
import TestSupport
import Testing

@Suite(.hangGuard)
struct PresenceTests {
  private let daemon: TestDaemon

  init() throws { daemon = try TestDaemon() }

  @Test func `drags are relayed`() async throws {
    let one = try await daemon.join("t", as: "list?items=3")
    let other = try await daemon.join("t")
    let ids = one.itemIDs(in: "items")
    let handle = try #require(one.handle(of: "items"))
    one.beginDrag(ids.prefix(2), formation: .pile)
    #expect(await eventually { other.drags.count == 1 })
    #expect(Array(other.drags[0].items) == Array(ids.prefix(2)))
    #expect(other.drags[0].formation == .pile)
    #expect(other.drags[0].session == one.session)
    #expect(one.drags.isEmpty)
    one.moveDrag(over: .before(ids[2], in: handle), x: 500, y: 250, formation: .stack)
    #expect(await eventually { other.drags.first?.x == 500 })
    #expect(other.drags[0].over == .before(ids[2], in: handle))
    #expect(other.drags[0].formation == .stack)
    one.endDrag()
    #expect(await eventually { other.drags.isEmpty })
  }

  @Test func `a drag of items that another client drags is refused, and only its author is notified`() async throws {
    let one = try await daemon.join("t", as: "list?items=3")
    let other = try await daemon.join("t")
    let ids = one.itemIDs(in: "items")
    one.beginDrag(ids.prefix(2))
    #expect(await eventually { other.drags.count == 1 })
    let events = other.events.makeAsyncIterator()
    let refusal = Task {
      var events = events
      while let event = await events.next() {
        if case .drag(let drag) = event, drag.isRefused { return drag }
      }
      return Drag(phase: .ended)
    }
    other.beginDrag(ids.suffix(2))
    let refused = await refusal.value
    #expect(refused.session == other.session && Array(refused.items) == Array(ids.suffix(2)))
    other.moveDrag(over: nil, x: 7)
    other.endDrag()
    other.beginDrag(ids.suffix(1))
    #expect(await eventually { one.drags.map(\.session) == [other.session] })
    #expect(one.drags.map { Array($0.items) } == [Array(ids.suffix(1))] && other.drags.count == 1)
  }

  @Test func `movements are throttled, and the last arrives`() async throws {
    let one = try await daemon.join("t", as: "list?items=3")
    let other = try await daemon.join("t")
    let events = other.events.makeAsyncIterator()
    let movements = Task {
      var (events, count) = (events, 0)
      while let event = await events.next() {
        guard case .drag(let drag) = event else { continue }
        if drag.phase == .moved { count += 1 }
        if drag.phase == .ended { return count }
      }
      return count
    }
    one.beginDrag(one.itemIDs(in: "items").prefix(1))
    let start = ContinuousClock.now
    for x in 1...1_000 {
      one.moveDrag(over: nil, x: Int32(x))
      if x % 10 == 0 { try await Task.sleep(for: .milliseconds(1)) }
    }
    #expect(await eventually { other.drags.first?.x == 1_000 })
    one.endDrag()
    let count = await movements.value
    // At most thirty a second for as long as the loop took, and a few at the ends.
    let allowed = 5 + Int((ContinuousClock.now - start) / .milliseconds(33))
    #expect((1...allowed).contains(count), "\(count) of 1000 movements, \(allowed) allowed")
  }

  @Test func `a drag ends with its connection and resumes after the reconnect`() async throws {
    let one = try await daemon.join("t", as: "list?items=3", name: "one")
    let other = try await daemon.join("t", name: "other")
    one.beginDrag(one.itemIDs(in: "items").prefix(1), formation: .list)
    #expect(await eventually { other.drags.count == 1 })
    let events = other.events.makeAsyncIterator()
    let phases = Task {
      var events = events
      var phases: [Drag.Phase] = []
      while let event = await events.next() {
        if case .drag(let drag) = event { phases.append(drag.phase) }
        if phases.count == 2 { return phases }
      }
      return phases
    }
    let session = one.session
    daemon.cutOldest()
    #expect(await phases.value == [.cancelled, .began])
    #expect(await eventually { other.drags.first?.formation == .list })
    #expect(one.session == session)
    await one.leave()
    #expect(await eventually { other.drags.isEmpty })
  }

  @MainActor @Test func `values of one's own and messages reach the others, and end with the connection`() async throws
  {
    let one = try await daemon.join("t", as: "list?items=3")
    let other = try await daemon.join("t")
    let model = TableModel(other)
    #expect(one.setPresence([UInt8](repeating: 0, count: 257))?.reason == .textTooLong)
    for value in 0..<200 { #expect(one.setPresence([UInt8(value)]) == nil) }
    let session = try #require(one.session)
    #expect(await eventually { other.presence == [session: [199]] && one.presence.isEmpty })
    #expect(await eventually { model.presence == [session: [199]] })
    #expect(one.say("hello", kind: "greeting") == nil)
    #expect(one.say(String(repeating: "x", count: 1_025))?.reason == .textTooLong)
    #expect(await eventually { model.chats == [Chat(session: session, kind: "greeting", text: "hello")] })
    await one.leave()
    #expect(await eventually { other.presence.isEmpty })
    #expect(one.say("late")?.reason == .notJoined)
  }

  @MainActor @Test func `the time that is left of a turn reaches clients and models, and ends with what it waits for`()
    async throws
  {
    var players = [try await daemon.join("t", as: "hearts?seconds=30")]
    let model = TableModel(players[0])
    #expect(players[0].timeLeft.turn == nil && model.turnEnd == nil)
    for _ in 2...4 { players.append(try await daemon.join("t")) }
    #expect(await eventually { players.allSatisfy { $0.timeLeft.turn.map { $0 <= .seconds(30) } == true } })
    #expect(await eventually { model.turnEnd.map { $0 > .now } == true } && model.tableEnd == nil)
    await players[3].leave()
    #expect(await eventually { players[0].timeLeft.turn == nil && model.turnEnd == nil })
  }
}
