import BaizeBot
import BaizeClient
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Synchronization

/// Tables where people mean well: they play at a steady pace, on a thread of their own, and what they see is measured.
final class HonestTables: Sendable {
  static let types = ["grid", "list?items=30", "kanban?cards=8", "playlist"]

  static func name(_ number: Int) -> String { "honest-\(number)" }

  private let isStopping = Atomic(false)
  private let latencies = Mutex(Histogram())
  private let conclusion = Mutex<[String]?>(nil)
  private let thread = Mutex<LoopThread?>(nil)

  init(at address: SocketAddress, seed: UInt64) throws {
    let thread = try LoopThread(name: "honest") { [self] in play(address, seed) }
    self.thread.withLock { $0 = thread }
  }

  /// How long answers took since the last call.
  func takeLatencies() -> Histogram {
    latencies.withLock { latencies in
      defer { latencies = Histogram() }
      return latencies
    }
  }

  /// Lets everyone finish.
  ///
  /// - Returns: What went wrong, a sentence each.
  func finish() -> [String] {
    isStopping.store(true, ordering: .relaxed)
    thread.withLock { $0.take() }?.join()
    return conclusion.withLock { $0 } ?? ["the honest players did not come to an end"]
  }

  private func play(_ address: SocketAddress, _ seed: UInt64) {
    do {
      let table = try HonestPlay(address, seed: seed)
      while !isStopping.load(ordering: .relaxed) {
        try table.turn()
        latencies.withLock { $0.merge(table.takeLatencies()) }
      }
      let faults = try table.finish()
      conclusion.withLock { $0 = faults }
    } catch {
      conclusion.withLock { $0 = ["the honest players could not go on: \(error)"] }
    }
  }
}

/// The players, on their thread.
private final class HonestPlay: LoopClientHandler {
  private let host: ClientHost
  private let address: SocketAddress
  private var players: [Player] = []
  private var random: RandomSource
  private var latencies = Histogram()
  private var faults: [String] = []

  private struct Player {
    let client: LoopClient
    let table: Int
    var strategy = RandomStrategy()
    var dueAt: UInt64 = 0
    /// When operations were submitted that have no answer.
    var asked: [SequenceNumber: UInt64] = [:]
    var submittedCount = 0
    var answeredCount = 0
  }

  private static let playersPerTable = 2
  private static let paceNanoseconds: UInt64 = 20_000_000
  private static let patienceNanoseconds: UInt64 = 30_000_000_000

  init(_ address: SocketAddress, seed: UInt64) throws {
    self.address = address
    random = RandomSource(seed: seed)
    host = try ClientHost()
    for number in HonestTables.types.indices {
      for _ in 0..<Self.playersPerTable { join(number, .player) }
      // The table exists before the next one asks for it.
      try wait(for: "the honest players to join") { $0.players.allSatisfy(\.client.isLive) }
    }
  }

  private func join(_ table: Int, _ role: Role) {
    var configuration = ClientConfiguration(
      table: HonestTables.name(table), tableType: HonestTables.types[table], name: "honest", role: role)
    configuration.reportsChanges = false
    configuration.hashCheckSeconds = 1
    let client = host.join(.tcp(address), configuration, tag: players.count, handler: self)
    players.append(Player(client: client, table: table))
  }

  // MARK: Playing

  func turn() throws {
    try host.turn(timeout: 1_000_000)
    let now = MonotonicClock.now()
    for place in players.indices where players[place].dueAt <= now {
      players[place].dueAt = max(now, players[place].dueAt + Self.paceNanoseconds)
      act(place, now)
    }
  }

  private func act(_ place: Int, _ now: UInt64) {
    guard let replica = players[place].client.replica,
      case .submit(let kind, _) = players[place].strategy.next(at: replica, random: &random),
      let operation = players[place].client.submit(kind)?.operation
    else { return }
    players[place].asked[operation.sequence] = now
    players[place].submittedCount += 1
  }

  func takeLatencies() -> Histogram {
    defer { latencies = Histogram() }
    return latencies
  }

  func received(_ event: ClientEvent, by client: LoopClient) {
    switch event {
    case .answered(let answered):
      players[client.tag].strategy.received(answered.answer, to: answered.operation.kind)
      players[client.tag].answeredCount += 1
      if case .unknown = answered.answer { faults.append("an honest operation has an unknown end") }
      if let asked = players[client.tag].asked.removeValue(forKey: answered.operation.sequence) {
        latencies.record(MonotonicClock.now() - asked)
      }
    case .disconnected(let goodbye, _):
      faults.append("an honest player was cut off: \(goodbye?.reason.rawValue ?? "without a word")")
    case .diverged(let why): faults.append("an honest copy differs from the daemon: \(why)")
    case .ended(let goodbye):
      if !isLeaving { faults.append("an honest player was sent away: \(goodbye.reason.rawValue)") }
    case .joined, .changed, .diff, .drag, .seats: break
    }
  }

  // MARK: The end

  private var isLeaving = false

  /// Waits for the last answers, then has someone new look at every table.
  func finish() throws -> [String] {
    try wait(for: "the last answers") { $0.players.allSatisfy { $0.client.pendingCount == 0 } }
    for table in HonestTables.types.indices { join(table, .spectator) }
    try wait(for: "everyone to see the same") { $0.players.allSatisfy { $0.client.isLive } && $0.differences.isEmpty }
    faults += differences
    for player in players where player.submittedCount != player.answeredCount {
      faults.append("\(player.submittedCount) honest operations, \(player.answeredCount) answers")
    }
    if players.allSatisfy({ $0.answeredCount == 0 }) { faults.append("nobody played honestly") }
    isLeaving = true
    host.leaveAll()
    try host.run(until: MonotonicClock.now() + 2_000_000_000)
    return faults
  }

  /// Tables whose copies are not all alike.
  private var differences: [String] {
    HonestTables.types.indices.filter { table in
      let hashes = players.filter { $0.table == table }.map { player in
        var copy = player.client.replica
        return copy?.confirmedHash()
      }
      return Set(hashes).count != 1
    }.map { "the copies of \(HonestTables.name($0)) differ" }
  }

  private func wait(for what: String, until isDone: (HonestPlay) -> Bool) throws {
    let end = MonotonicClock.now() + Self.patienceNanoseconds
    while !isDone(self) {
      guard MonotonicClock.now() < end else { throw HostileFailure(description: "waited too long for \(what)") }
      try host.turn(timeout: 10_000_000)
    }
  }
}
