import BaizeClient
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Synchronization
import TestSupport
import Testing

@Suite(.hangGuard)
struct ReconnectingTests {
  @Test func `session and seat survive a lost connection`() async throws {
    let daemon = try TestDaemon()
    let client = try await daemon.join("t", as: "list?items=3", name: "Ada")
    let other = try await daemon.join("t", name: "Bob")
    let session = client.session
    let events = client.events.makeAsyncIterator()
    let states = Mutex<[String]>([])
    let listening = Task {
      var events = events
      while let event = await events.next() {
        let state: String? =
          switch event {
          case .joined: "joined"
          case .disconnected: "disconnected"
          case .ended: "ended"
          case .changed, .diff, .answered, .drag, .seats, .presence, .chat, .countdown, .watching, .diverged: nil
          }
        if let state { states.withLock { $0.append(state) } }
      }
    }
    daemon.cutConnections()
    #expect(await eventually { states.withLock { $0 } == ["disconnected", "joined"] })
    #expect(await eventually { client.connection == .live && other.connection == .live })
    #expect(client.session == session)
    #expect(client.seat.rawValue == 1)
    #expect(await eventually { client.seats.map(\.isConnected) == [true, true] })
    await client.leave()
    await listening.value
    #expect(states.withLock { $0 } == ["disconnected", "joined", "ended"])
  }

  @Test(arguments: [true, false])
  func `I3: a pending operation is sent again and takes effect once`(wasReceived: Bool) async throws {
    let daemon = try TestDaemon()
    let client = try await daemon.join("t", as: "list?items=3")
    if wasReceived { await daemon.discardOutput(true) } else { await daemon.pauseReading(true) }
    let submissions = (0..<3).map { number in
      client.insert([NewItem(attributes: [Attribute("number", Int64(10 + number))])], in: "items")
    }
    if wasReceived { #expect(await eventually { daemon.discardedCount >= 3 }) }
    daemon.cutConnections()
    await daemon.discardOutput(false)
    await daemon.pauseReading(false)
    for submission in submissions {
      #expect(try await submission.outcome.isAccepted)
    }
    #expect(client.numbers().suffix(3) == [10, 11, 12])
    #expect(client.count(in: "items") == 6)
  }

  @Test func `operations made offline are sent after the reconnect`() async throws {
    let daemon = try TestDaemon()
    let client = try await daemon.join("t", as: "list?items=3")
    // Keep the client from reconnecting until the test has looked.
    await daemon.pauseReading(true)
    daemon.shutDown()
    #expect(await eventually { client.connection != .live })
    let ids = client.itemIDs(in: "items")
    let submission = client.move(fromOffsets: [0], toOffset: 3, in: "items")
    #expect(client.itemIDs(in: "items") == [ids[1], ids[2], ids[0]])
    await daemon.pauseReading(false)
    daemon.cutConnections()
    #expect(try await submission.outcome.isAccepted)
    #expect(client.itemIDs(in: "items") == [ids[1], ids[2], ids[0]])
  }

  @Test func `another daemon does not know the session, and gets none of its operations`() async throws {
    let first = try TestDaemon()
    let client = try await first.join("t", as: "list?items=3")
    await first.pauseReading(true)
    let submission = client.insert([NewItem()], in: "items")
    #expect(client.count(in: "items") == 4)
    first.stop()
    let second = try await TestDaemon.taking(first.address)
    // The client never sends the operation in another session.
    #expect(try await submission.outcome == .unknown)
    #expect(await eventually { client.connection == .live && client.count(in: "items") == 3 })
    let again = client.insert([NewItem()], in: "items")
    #expect(try await again.outcome.isAccepted)
    second.stop()
  }
}
