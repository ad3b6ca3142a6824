import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Foundation
import Testing

extension ServerTests {
  /// Deliveries per second of one shard, driven from one thread: `BAIZE_FIGURES=1 swift test -c release --filter
  /// ServerFigures`. A first look; the load harness compares with a ceiling.
  @Suite(.enabled(if: ProcessInfo.processInfo.environment["BAIZE_FIGURES"] != nil)) struct ServerFigures {
    @Test(arguments: [1, 16])
    func `64 tables of 4 players`(_ window: Int) async throws {
      try await withServer({
        $0.shardCount = 1
        $0.limits.operationsPerSecondMax = 0
      }) { server in
        let driver = try FigureDriver(server.address, tables: 64, players: 4, window: window)
        try driver.run(seconds: 1)
        let before = (server.statistics, ProcessorTime.ofProcess(), ProcessorTime.ofThread())
        try driver.run(seconds: 4)
        let after = (server.statistics, ProcessorTime.ofProcess(), ProcessorTime.ofThread())
        let deliveries = after.0.operations.deliveries - before.0.operations.deliveries
        let turns = after.0.turns - before.0.turns
        let own = after.2 - before.2
        let daemon = after.1 - before.1 - own
        print(
          "window \(window): \(deliveries / 4) deliveries/s, \(deliveries / max(1, turns)) a turn, "
            + "daemon \(Int(daemon) / max(1, deliveries)) ns a delivery (\(daemon / 40_000_000) % of a core), "
            + "driver \(own / 40_000_000) %, \(after.0.operations.refused) refused, \(after.0.operations.retried) retried"
        )
      }
    }
  }
}

/// Many connections on one loop that count diffs; the first of each table keeps `window` operations under way.
private final class FigureDriver: OutgoingHandler {
  private struct Player {
    var table: Int
    var isMover: Bool
    var items: [ItemID] = []
    var isJoined = false
    var revision: UInt64 = 0
    var sent: UInt64 = 0
  }

  private let loop: EventLoop
  private let reader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)
  private var players: [Player] = []
  private var writer = FrameWriter()
  private let window: Int
  private var left: Int

  init(_ address: SocketAddress, tables: Int, players count: Int, window: Int) throws {
    self.window = window
    loop = try EventLoop(waker: Waker(), leftoverBytesMax: 1 << 22)
    left = 0
    // One round after the other, so that the slots are in the order of the players, and the movers come last.
    for seat in (0..<count).reversed() {
      for table in 0..<tables {
        let key = try loop.connect(to: address)
        precondition(Int(key.slot) == players.count)
        players.append(Player(table: table, isMover: seat == 0))
        let hello = Hello(table: "t\(table)", tableType: "grid", name: "\(seat)")
        ClientMessage.hello(hello).framed().withUnsafeBytes { _ = loop.append(key, $0) }
      }
      left = tables
      let end = MonotonicClock.now() + 10_000_000_000
      while left > 0, MonotonicClock.now() < end { try loop.turn(self, timeout: 1_000_000) }
    }
  }

  func run(seconds: UInt64) throws { try loop.run(self, until: MonotonicClock.now() + seconds * 1_000_000_000) }

  func received(_ key: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    var position = 0
    var count = 0
    while position < bytes.count, let frame = try? reader.next(in: bytes, from: position) {
      position = frame.upperBound
      if players[Int(key.slot)].isJoined {
        count += 1
      } else {
        join(key, UnsafeRawBufferPointer(rebasing: bytes[frame]))
      }
    }
    if players[Int(key.slot)].isMover, players[Int(key.slot)].isJoined, count > 0 {
      players[Int(key.slot)].revision += UInt64(count)
      move(key, count)
    }
    return position
  }

  private func join(_ key: ConnectionKey, _ frame: UnsafeRawBufferPointer) {
    switch try? ServerMessage(decoding: frame) {
    case .snapshot(let part):
      players[Int(key.slot)].items += part.items.map(\.id)
      players[Int(key.slot)].revision = part.revision.rawValue
    case .seats where !players[Int(key.slot)].items.isEmpty:
      players[Int(key.slot)].isJoined = true
      left -= 1
      if players[Int(key.slot)].isMover { move(key, window) }
    default: break
    }
  }

  private func move(_ key: ConnectionKey, _ count: Int) {
    writer.removeAll()
    for _ in 0..<count {
      players[Int(key.slot)].sent += 1
      let player = players[Int(key.slot)]
      let destination = Destination.end(of: CollectionHandle(rawValue: UInt32(player.sent / 52 % 13) + 1))
      let source = player.items[Int(player.sent % 52)]
      writer.frame(
        .operation(
          TableOperation(
            sequence: SequenceNumber(rawValue: player.sent), base: Revision(rawValue: player.revision),
            epoch: Epoch(rawValue: 1), unanswered: UInt32(window - 1),
            kind: .reorder(ReorderDifference(sources: [source], destination: destination), suggested: []))))
    }
    writer.withUnsafeBytes { _ = loop.append(key, $0) }
  }

  func connected(_ connection: ConnectionKey) {}
  func connectFailed(_ connection: ConnectionKey, _ error: SystemError) { Issue.record(error) }
  func closed(_ connection: ConnectionKey, _ reason: CloseReason) { Issue.record("\(connection): \(reason)") }
}
