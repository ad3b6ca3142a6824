import BaizeClient
import BaizeSync
import BaizeTable
import BaizeWire
import TestSupport
import Testing

@Suite(.hangGuard)
struct JoiningTests {
  private let daemon: TestDaemon

  init() throws { daemon = try TestDaemon() }

  @Test func `a table is created by its first client and read`() async throws {
    let client = try await daemon.join("t", as: "list?items=5", name: "Ada")
    #expect(client.connection == .live)
    #expect(client.collections.map(\.id) == ["items"])
    #expect(client.count(in: "items") == 5)
    #expect(client.numbers().sorted() == [1, 2, 3, 4, 5])
    #expect(client.seat.rawValue == 1)
    #expect(await eventually { client.seats.map(\.name) == ["Ada"] && client.seats[0].isConnected })
    #expect(client.items(in: "items", 1..<3).map(\.id) == Array(client.itemIDs(in: "items")[1..<3]))
    #expect(client.items(in: "nowhere").isEmpty)
  }

  @Test func `a refused join throws the reason`() async throws {
    await #expect {
      _ = try await daemon.join("t", as: "nosuchtype")
    } throws: { error in
      guard case .refused(let goodbye) = error as? JoinError else { return false }
      return goodbye.reason == .unknownType && goodbye.detail.contains("nosuchtype")
    }
    await #expect {
      _ = try await daemon.join("nowhere")
    } throws: { error in
      guard case .refused(let goodbye) = error as? JoinError else { return false }
      return goodbye.reason == .unknownTable
    }
  }

  @Test func `a missing daemon is unreachable`() async throws {
    let configuration = ClientConfiguration(table: "t", tableType: "list")
    // No one listens on port 1. A client with a longer timeout still waits when the other gives up.
    let waiting = Task { try await TableClient.join("127.0.0.1:1", configuration, timeout: .seconds(600)) }
    await #expect {
      _ = try await TableClient.join("127.0.0.1:1", configuration, timeout: .milliseconds(300))
    } throws: { error in
      guard case .unreachable(let why) = error as? JoinError else { return false }
      return why.contains("127.0.0.1:1")
    }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { _ = try await waiting.value }
    await #expect(throws: JoinError.self) { _ = try await TableClient.join("nonsense", configuration) }
  }

  @Test func `cancelling a join throws`() async throws {
    await daemon.pauseReading(true)
    let joining = Task { try await daemon.join("t", as: "list") }
    #expect(await eventually { daemon.acceptedCount >= 1 })
    joining.cancel()
    await #expect(throws: CancellationError.self) { _ = try await joining.value }
  }

  @Test func `leaving frees the seat`() async throws {
    let one = try await daemon.join("t", as: "list", name: "one")
    let other = try await daemon.join("t", name: "other")
    #expect(await eventually { other.seats.count == 2 })
    await one.leave()
    #expect(one.connection == .ended(Goodbye(.leaving)))
    #expect(await eventually { other.seats.map(\.name) == ["other"] })
    let late = one.insert([NewItem()], in: "items")
    #expect(late.refusal?.reason == .notJoined)
    #expect(try await late.outcome == .refused(Refusal(.notJoined, detail: "the client has left the table")))
  }

  @Test func `releasing the client leaves the table`() async throws {
    let other = try await daemon.join("t", as: "list", name: "other")
    do {
      let one = try await daemon.join("t", name: "one")
      #expect(await eventually { other.seats.count == 2 })
      _ = one
    }
    #expect(await eventually { other.seats.count == 1 })
  }
}
