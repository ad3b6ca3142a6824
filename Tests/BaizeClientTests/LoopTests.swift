import BaizeClient
import BaizeDriver
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import TestSupport
import Testing

@Suite(.hangGuard)
struct LoopTests {
  private let daemon: TestDaemon

  init() throws { daemon = try TestDaemon() }

  /// Players that each move an item a number of times, one answer after the other, from within the event handler.
  private final class Players: LoopClientHandler {
    let movesMax: Int
    var moves: [Int]
    var clients: [LoopClient] = []
    var answers = 0
    var alarms = 0
    var ended = 0

    init(count: Int, movesMax: Int) {
      self.movesMax = movesMax
      moves = Array(repeating: 0, count: count)
    }

    func received(_ event: ClientEvent, by client: LoopClient) {
      switch event {
      case .joined: move(client)
      case .answered:
        answers += 1
        move(client)
      case .ended: ended += 1
      case .changed, .diff, .drag, .seats, .presence, .chat, .countdown, .watching, .disconnected, .diverged: break
      }
    }

    func timerFired(_ client: LoopClient) { alarms += 1 }

    private func move(_ client: LoopClient) {
      guard moves[client.tag] < movesMax, let state = client.replica?.state else { return }
      guard let handle = state.handles.first, let first = state.firstItem(in: handle) else { return }
      moves[client.tag] += 1
      client.submit(.move([first], to: .end(of: handle)))
    }

    var isDone: Bool { answers == moves.count * movesMax }
  }

  private func turn(_ host: ClientHost, until condition: () -> Bool) throws -> Bool {
    let end = MonotonicClock.now() + HangGuard.nanoseconds
    while !condition() {
      if MonotonicClock.now() >= end { return false }
      try host.turn(timeout: 20_000_000)
    }
    return true
  }

  @Test(arguments: SelectorKind.allCases)
  func `two hundred clients on the calling thread converge at fifty tables`(selector: SelectorKind) throws {
    let host = try ClientHost(selector: selector, random: RandomSource(seed: 5))
    let players = Players(count: 200, movesMax: 5)
    for number in 0..<200 {
      let configuration = ClientConfiguration(table: "t\(number / 4)", tableType: "list?items=5")
      players.clients.append(host.join(.tcp(daemon.address), configuration, tag: number, handler: players))
    }
    #expect(try turn(host) { players.isDone })
    // Every replica of a table ends at the same revision with the same hash.
    let byTable = stride(from: 0, to: 200, by: 4).map { Array(players.clients[$0..<$0 + 4]) }
    let isLevel = { byTable.allSatisfy { Set($0.map { $0.replica?.confirmedRevision }).count == 1 } }
    #expect(try turn(host, until: isLevel))
    for table in byTable {
      let hashes = table.map { client -> UInt64? in
        var replica = client.replica
        return replica?.confirmedHash()
      }
      #expect(Set(hashes).count == 1)
    }
    host.leaveAll()
    #expect(try turn(host) { players.ended == 200 && host.clientCount == 0 })
  }

  @Test func `timers fire, and a dropped connection is made again`() throws {
    let host = try ClientHost(random: RandomSource(seed: 5))
    let players = Players(count: 1, movesMax: 1)
    let configuration = ClientConfiguration(table: "t", tableType: "list?items=5")
    let client = host.join(.tcp(daemon.address), configuration, handler: players)
    #expect(try turn(host) { players.isDone })
    let start = MonotonicClock.now()
    client.timerDeadline = Instant(nanoseconds: start).advanced(byMilliseconds: 30)
    #expect(try turn(host) { players.alarms == 1 })
    #expect(MonotonicClock.now() - start >= 30_000_000)
    client.dropConnection()
    #expect(!client.isLive)
    #expect(try turn(host) { client.isLive })
    client.leave()
    #expect(try turn(host) { host.clientCount == 0 })
    #expect(players.ended == 1)
    // A removed client still answers calls.
    #expect(client.submit(.remove([])) == nil)
    client.dropConnection()
  }

  @Test func `an idle client runs no turns`() throws {
    let host = try ClientHost(random: RandomSource(seed: 5))
    let players = Players(count: 1, movesMax: 1)
    let client = host.join(
      .tcp(daemon.address), ClientConfiguration(table: "t", tableType: "list?items=5"), handler: players)
    #expect(try turn(host) { players.isDone })
    // What others do at the table may still arrive, and makes a few turns; then each waits for its whole time.
    var (turns, waits) = (0, 0)
    while waits < 3, turns < 1_000 {
      let start = MonotonicClock.now()
      try host.turn(timeout: 20_000_000)
      turns += 1
      waits = MonotonicClock.now() - start >= 20_000_000 ? waits + 1 : 0
    }
    #expect(waits == 3, "\(turns) turns")
    #expect(client.isLive)
  }

  @Test func `many clients share a loop`() async throws {
    let loop = try ClientLoop(name: "test-clients")
    let clients = try await withThrowingTaskGroup(of: TableClient.self) { group in
      for _ in 0..<60 { group.addTask { try await daemon.join("t", as: "list?items=60", on: loop) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, client) in clients.enumerated() {
        group.addTask {
          for step in 0..<5 {
            _ = try await client.move(fromOffsets: [number], toOffset: (number + step * 11) % 60, in: "items").outcome
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(await eventually { Set(clients.map(\.revision)).count == 1 })
    #expect(Set(clients.map { $0.itemIDs(in: "items") }).count == 1)
    loop.stop()
    #expect(clients.allSatisfy { if case .ended = $0.connection { true } else { false } })
    await #expect(throws: JoinError.self) { _ = try await daemon.join("t", on: loop) }
  }

  @Test func `stopping the loop resolves every wait`() async throws {
    let loop = try ClientLoop(name: "test-clients")
    let client = try await daemon.join("t", as: "list?items=3", on: loop)
    await daemon.pauseReading(true)
    let submission = client.move(fromOffsets: [0], toOffset: 3, in: "items")
    let joining = Task { try await daemon.join("other", as: "list", on: loop) }
    #expect(await eventually { daemon.acceptedCount >= 2 })
    loop.stop()
    #expect(try await submission.outcome == .unknown)
    await #expect(throws: JoinError.self) { _ = try await joining.value }
    await client.leave()
  }
}
