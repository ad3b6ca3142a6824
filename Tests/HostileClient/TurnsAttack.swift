import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeTable
import BaizeTransport
import BaizeWire
import Foundation

/// Strangers who keep a shard as busy as they can, each part in its own way, while one person adds cards at a board of the same
/// shard: beside nobody, beside many people who do as much as they can by the rules, and beside strangers.
struct TurnsAttack {
  let options: HostileOptions

  private static let honest: UInt8 = 250
  private static let pauseSeconds = 0.004
  private static let warmUpSeconds = 0.5
  private static let refused = "baize_operations_total{verdict=\"refused\"}"
  /// The most that a turn may take, and how much longer than beside plain load an answer may.
  private static let turnSecondsMax = 0.005
  private static let riseMax: UInt64 = 3

  /// - Returns: Whether no part made others wait for longer than plain load does, within the bounds.
  func perform() throws -> Bool {
    DescriptorLimit.raise()
    let daemon = try ChildProcess(
      "baized",
      ["--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--shards", "1"]
        + (options.keepsJournal ? ["--journal", "journal.sqlite"] : ["--durability", "memory"]),
      marker: ChildProcess.daemonMarker, programs: options.programs,
      environment: [DaemonMetrics.environment.0: DaemonMetrics.environment.1])
    let metrics = try DaemonMetrics(daemon)
    var person = try HonestPerson(daemon.address, "board", from: Self.honest)
    _ = try measure(.nobody, &person, daemon.address, metrics)
    let plain = try measure(.plain, &person, daemon.address, metrics)
    var faults: [String] = []
    for part in Part.hostile {
      let result = try measure(part, &person, daemon.address, metrics)
      let (p99, bound) = (result.times.percentile(0.99), Self.riseMax * plain.times.percentile(0.99))
      if p99 > bound { faults.append("\(part.rawValue): p99 \(Self.text(p99)), more than \(Self.text(bound))") }
      if result.turn > Self.turnSecondsMax {
        faults.append("\(part.rawValue): of turns, one in a hundred takes more than 5 ms")
      }
    }
    if daemon.stop() != 0 { faults.append("the daemon did not end well") }
    for fault in faults { Console.printError("hostile-client: \(fault)") }
    Console.print(faults.isEmpty ? "passed" : "failed")
    return faults.isEmpty
  }

  private struct Result {
    var times = Histogram()
    /// The time within which 99 of 100 turns ended, in seconds: the limit of a bucket.
    var turn = 0.0
  }

  private func measure(
    _ part: Part, _ person: inout HonestPerson, _ address: SocketAddress, _ metrics: DaemonMetrics
  ) throws -> Result {
    let isStopping = Flag()
    let strangers = try part.kinds.map { kind in
      let isReady = Flag()
      let thread = try LoopThread(name: "strangers") {
        Affinity.useIdleProcessors()
        kind(address, isReady, isStopping)
      }
      return (isReady: isReady, thread: thread)
    }
    defer {
      isStopping.set()
      for stranger in strangers { stranger.thread.join() }
    }
    let start = MonotonicClock.now()
    while !strangers.allSatisfy({ $0.isReady.isSet }) {
      guard MonotonicClock.now() < start + HangGuard.nanoseconds else { throw RunFailure("the strangers do not join") }
      Thread.sleep(forTimeInterval: 0.05)
    }
    Thread.sleep(forTimeInterval: Self.warmUpSeconds)
    var result = Result()
    let (before, refusedBefore) = (try metrics.turns(), try metrics.value(Self.refused))
    let end = MonotonicClock.now() + UInt64(options.seconds) * 1_000_000_000
    while MonotonicClock.now() < end {
      let start = MonotonicClock.now()
      try person.move()
      result.times.record(MonotonicClock.now() - start)
      Thread.sleep(forTimeInterval: Self.pauseSeconds)
    }
    let turns = zip(before, try metrics.turns()).map { (limit: $1.limit, count: $1.count - $0.count) }
    let refusedPerSecond = (try metrics.value(Self.refused) - refusedBefore) / Double(options.seconds)
    let count = turns.last?.count ?? 0
    result.turn = turns.first { $0.count >= count * 0.99 }?.limit ?? .infinity
    let times = [0.5, 0.99, 1].map { Self.text(result.times.percentile($0)) }
    Console.print(
      "beside \(part.rawValue): \(result.times.count) moves, p50 \(times[0]), p99 \(times[1]), at most \(times[2]); "
        + "\(Int(count)) turns, of which 99 % within \(String(format: "%.2f ms", result.turn * 1e3)), "
        + "\(Int(refusedPerSecond)) operations refused a second")
    return result
  }

  private static func text(_ nanoseconds: UInt64) -> String { String(format: "%.1f ms", Double(nanoseconds) / 1e6) }
}

// MARK: - Strangers

extension TurnsAttack {
  fileprivate typealias Kind = @Sendable (SocketAddress, _ isReady: Flag, _ isStopping: Flag) -> Void

  fileprivate enum Part: String {
    case nobody
    case plain = "plain load"
    case crowd = "60 players beyond their rates with 1,000 spectators"
    case updates = "updates of 240 KB"
    case pipelines = "16 frames of 240 KB at once, and large tables"
    case refusals = "operations that are refused"
    case impatient = "240 people who do not wait for answers"
    case oldBases = "operations on old bases that are refused"

    static let hostile: [Part] = [.crowd, .updates, .pipelines, .refusals, .impatient, .oldBases]

    var kinds: [Kind] {
      switch self {
      case .nobody: []
      case .plain: [{ TurnsAttack.play(at: $0, unansweredMax: 0, $1, $2) }]
      case .crowd: [TurnsAttack.crowd]
      case .updates: [{ TurnsAttack.update(at: $0, window: 1, $1, $2) }]
      case .pipelines: [{ TurnsAttack.update(at: $0, window: 16, $1, $2) }, TurnsAttack.makeTables]
      case .refusals: [{ TurnsAttack.beRefused(at: $0, isBaseOld: false, $1, $2) }]
      case .impatient: [{ TurnsAttack.play(at: $0, unansweredMax: 1_000, $1, $2) }]
      case .oldBases: [{ TurnsAttack.beRefused(at: $0, isBaseOld: true, $1, $2) }]
      }
    }
  }

  /// A stranger at a table.
  private final class Stranger {
    let client: BlockingClient
    let table: String
    private(set) var joined: BlockingClient.Joined
    private var sequence: UInt64 = 0
    private(set) var unanswered = 0

    init?(_ address: SocketAddress, _ table: String, _ type: String, role: Role = .player) {
      guard let client = try? BlockingClient(address) else { return nil }
      client.wait(seconds: 5)
      guard let joined = try? client.join(Hello(table: table, tableType: type, name: "stranger", role: role)) else {
        return nil
      }
      (self.client, self.table, self.joined) = (client, table, joined)
      client.wait(seconds: 0, microseconds: 2_000)
    }

    func operation(_ kind: TableOperation.Kind) -> ClientMessage {
      sequence += 1
      unanswered += 1
      return joined.operation(kind, number: sequence)
    }

    /// Receives what has come.
    ///
    /// - Parameter advancing: Whether the next operations have the revision as their base that is received.
    func receive(advancing: Bool = true) {
      guard let messages = try? client.available() else { return }
      for message in messages {
        switch message {
        case .diff(let diff):
          if advancing { joined.revision = diff.revision }
          if diff.author == joined.welcome.session { unanswered -= 1 }
        case .outcome(let outcome):
          unanswered -= 1
          // Beyond its rate it has to go on with the first one that was not judged.
          if outcome.verdict == .retry { sequence = min(sequence, outcome.sequence.rawValue - 1) }
        case _: break
        }
      }
    }
  }

  private static let listType = "list?items=40"

  /// 240 people at 60 tables, each of whom sends eight operations at a time.
  ///
  /// - Parameter unansweredMax: The number of unanswered operations above which a person waits.
  private static func play(at address: SocketAddress, unansweredMax: Int, _ isReady: Flag, _ isStopping: Flag) {
    let players = (0..<240).compactMap { Stranger(address, "plain-\(unansweredMax)-\($0 % 60)", listType) }
    isReady.set()
    var number = 0
    while !isStopping.isSet {
      number += 1
      for player in players where !isStopping.isSet && player.unanswered <= unansweredMax {
        let item = player.joined.items[number % player.joined.items.count]
        let frames = (0..<8).flatMap { _ in player.operation(.move([item], to: .end(of: .first))).framed() }
        player.client.write(frames)
      }
      for player in players { player.receive() }
    }
  }

  /// Sixty players at one table who drag, write and say more than they may, and a thousand who watch.
  private static let crowd: Kind = { address, isReady, isStopping in
    let players = (0..<60).compactMap { _ in Stranger(address, "crowd", listType) }
    let spectators = (0..<1_000).compactMap { _ in
      isStopping.isSet ? nil : Stranger(address, "crowd", "", role: .spectator)
    }
    isReady.set()
    var number: Int32 = 0
    while !isStopping.isSet {
      number += 1
      for (index, player) in players.enumerated() where !isStopping.isSet {
        let item = player.joined.items[index % player.joined.items.count]
        let drag = Drag(phase: number % 20 == 1 ? .began : .moved, items: [item], x: number % 1_000, y: number % 999)
        player.client.send(
          .drag(drag), .drag(Drag(phase: .moved, items: [item], x: number % 777)),
          .presence(Presence(value: Array("\(number)".utf8))),
          .chat(Chat(text: "\(number)")),
          player.operation(.move([item], to: .end(of: .first))))
        player.receive()
      }
      for spectator in spectators { _ = spectator.client.readBytes(waiting: false) }
    }
  }

  /// Four people who give items new faces of 240 KB.
  private static func update(at address: SocketAddress, window: Int, _ isReady: Flag, _ isStopping: Flag) {
    let players = (0..<4).compactMap { Stranger(address, "large-\(window)-\($0)", HonestPerson.boardType) }
    isReady.set()
    var number = 0
    while !isStopping.isSet {
      number += 1
      for player in players where !isStopping.isSet {
        let text = String(repeating: "\(number % 10)", count: 15_000)
        let attributes = (0..<16).map { Attribute("text\($0)", text) }
        for _ in 0..<window {
          player.client.write(
            player.operation(.update(player.joined.items[0], attributes: attributes, representations: [])).framed())
        }
        player.receive()
      }
    }
  }

  /// Someone who makes tables of 100,000 items, and leaves each.
  private static let makeTables: Kind = { address, isReady, isStopping in
    isReady.set()
    var number = 0
    while !isStopping.isSet {
      number += 1
      _ = Stranger(address, "many-\(number % 8)", "list?items=100000")
    }
  }

  /// Eight connections on which one operation after the other names an item that is not there.
  ///
  /// - Parameter isBaseOld: Whether so many items were moved since the operations' base that it has to be looked for among them.
  private static func beRefused(at address: SocketAddress, isBaseOld: Bool, _ isReady: Flag, _ isStopping: Flag) {
    let count = isBaseOld ? TableLimits.itemsPerOperationMax : 40
    let players = (0..<8).compactMap { Stranger(address, "refused-\(count)-\($0)", "list?items=\(count)") }
    for player in players where isBaseOld {
      guard let other = Stranger(address, player.table, "") else { continue }
      var items = other.joined.items
      for _ in 0..<(TableLimits.historyTakeOutsMax / count) {
        items.reverse()
        other.client.send(other.operation(.move(items, to: .end(of: .first))))
        while other.unanswered > 0 { other.receive() }
      }
    }
    isReady.set()
    while !isStopping.isSet {
      for player in players where !isStopping.isSet {
        let frames = (0..<64).flatMap { _ in
          player.operation(.move([ItemID(rawValue: 1 << 40)], to: .end(of: .first))).framed()
        }
        player.client.write(frames)
        player.receive(advancing: !isBaseOld)
      }
    }
  }
}
