import BaizeClient
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// Carries real clients, which come back by themselves, and keeps books on what they ask for and what the daemon says.
///
/// ```
/// bytes in ─▶ frame ─▶ history, stream (what was said) ─▶ ClientMachine ─▶ answers ─▶ operations (what was asked for)
///                                                             └─▶ bytes out
/// ```
final class ReconnectRun {
  let loop: EventLoop
  let options: ReconnectOptions
  var players: [ReconnectPlayer] = []
  var tables: [ReconnectTable] = []
  var counts = ReconnectCounts()
  var faults = FaultList()
  private(set) var isPlaying = false
  /// Whose a connection is, by its slot.
  var owners: [Int] = []
  private var random: RandomSource
  private var writer = FrameWriter()
  let reader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)

  init(_ options: ReconnectOptions) throws {
    self.options = options
    random = RandomSource(seed: options.seed)
    loop = try EventLoop(waker: try Waker(), leftoverBytesMax: WireLimits.serverFrameBytesMax + 16)
  }

  // MARK: Steps of a run

  func begin() {
    for number in 0..<options.tables {
      let type = options.tableTypes[number % options.tableTypes.count]
      tables.append(ReconnectTable(name: "\(options.tablePrefix)-\(number)", tableType: type))
      for _ in 0..<options.players { join(number) }
    }
  }

  private func join(_ table: Int) {
    var configuration = ClientConfiguration(
      table: tables[table].name, tableType: tables[table].tableType, name: "load \(players.count)")
    configuration.reportsChanges = false
    configuration.backoffMilliseconds = ReconnectOptions.backoffMilliseconds
    configuration.backoffMillisecondsMax = ReconnectOptions.backoffMillisecondsMax
    configuration.hashCheckSeconds = ReconnectOptions.hashCheckSeconds
    let machine = ClientMachine(
      configuration: configuration, types: TableTypeCompiler.shared, random: random.split())
    let play = MarkedPlay(player: players.count, random: random.split())
    players.append(ReconnectPlayer(table: table, machine: machine, play: play))
    change(players.count - 1) { $0.start(at: $1, into: &$2) }
  }

  func startPlaying() { isPlaying = true }
  func stopPlaying() { isPlaying = false }

  var isEveryoneLive: Bool { players.allSatisfy(\.machine.isLive) }
  var isAnyoneLive: Bool { players.contains(where: \.machine.isLive) }
  /// Whether nothing is under way any more.
  var isSettled: Bool { isEveryoneLive && players.allSatisfy { $0.pendingCount == 0 } }

  /// Asks for the hashes that are compared.
  func askForHashes() {
    for place in players.indices where players[place].machine.isLive {
      send(.ping(Ping(nonce: Self.endNonce, wantsHash: true)), place)
    }
  }

  var isCompared: Bool { players.allSatisfy { $0.daemonHash != nil } }

  /// No machine counts so far.
  static let endNonce: UInt64 = 1 << 62

  /// Closes the books on a table.
  ///
  /// - Parameter end: The table as someone finds it who was not there.
  func close(_ table: Int, with end: TableReader.Table) {
    tables[table].operations.compare(with: end.items)
    tables[table].history.close(at: end.revision)
    for (number, player) in players.enumerated() where player.table == table {
      let isEqual = player.ownHash != nil && player.ownHash == player.daemonHash
      if !isEqual || player.endRevision != end.revision {
        faults.note(.diverged, "player \(number) has another table \(table) than the daemon")
      }
      if player.machine.divergences > 0 {
        faults.note(.diverged, "player \(number) had to take its table anew \(player.machine.divergences) times")
      }
    }
  }

  func note(_ fault: Fault, _ text: String) { faults.note(fault, text) }

  // MARK: The machines

  /// Tells a player's machine something, and does what it asks for.
  func change(_ place: Int, _ body: (inout ClientMachine, Instant, inout [ClientEffect]) -> Void) {
    var effects: [ClientEffect] = []
    body(&players[place].machine, Instant(nanoseconds: loop.now), &effects)
    for effect in effects { carryOut(effect, place) }
  }

  private func carryOut(_ effect: ClientEffect, _ place: Int) {
    switch effect {
    case .connect: connect(place)
    case .send(let message): send(message, place)
    case .disconnect: disconnect(place)
    case .event(let event): hear(event, place)
    }
  }

  private func connect(_ place: Int) {
    do {
      let key = try loop.connect(to: options.address)
      while owners.count <= Int(key.slot) { owners.append(-1) }
      owners[Int(key.slot)] = place
      players[place].connection = key
    } catch {
      change(place) { $0.closed(at: $1, into: &$2) }
    }
  }

  private func disconnect(_ place: Int) {
    guard let key = players[place].connection else { return }
    players[place].connection = nil
    loop.close(key, afterFlush: true)
  }

  private func send(_ message: ClientMessage, _ place: Int) {
    guard let key = players[place].connection else { return }
    if case .hello(let hello) = message { players[place].hello = hello }
    writer.removeAll()
    writer.frame(message)
    _ = writer.withUnsafeBytes { loop.append(key, $0) }
  }

  private func hear(_ event: ClientEvent, _ place: Int) {
    switch event {
    case .answered(let answered):
      tables[players[place].table].operations.answered(
        answered.operation.kind, OperationLedger.Verdict(answered.answer), to: place)
    case .diverged(let why): faults.note(.diverged, "player \(place): \(why)")
    case .ended(let goodbye):
      faults.note(.shutOut, "player \(place): \(goodbye.reason.rawValue) \(goodbye.detail)")
    case .joined, .changed, .diff, .drag, .seats, .disconnected: break
    }
  }

  // MARK: Playing

  func act(_ place: Int, now: UInt64) {
    guard isPlaying, now >= players[place].restsUntil, players[place].pendingCount < options.window,
      let replica = players[place].machine.replica
    else { return }
    let beat = 1_000_000_000 / max(1, options.rate)
    players[place].restsUntil = now + beat / 2 + random.next(below: beat + 1)
    if random.next(below: Self.stepsPerCut) == 0 { return cut(place) }
    guard let step = players[place].play.next(at: replica) else { return }
    var isSubmitted = false
    change(place) { machine, now, effects in
      let submission = machine.submit(step.kind, sendsRefused: step.sendsRefused, at: now, into: &effects)
      isSubmitted = submission?.operation != nil
    }
    if isSubmitted { tables[players[place].table].operations.submitted(step.kind, mark: step.mark, by: place) }
  }

  /// Now and then a connection is lost while the daemon lives: its client need only get what it missed.
  private static let stepsPerCut: UInt64 = 200

  private func cut(_ place: Int) {
    guard let key = players[place].connection else { return }
    loop.close(key)
    lost(key)
  }
}
