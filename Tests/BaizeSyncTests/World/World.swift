import BaizeTable
import BaizeWire

@testable import BaizeSync

/// A daemon, a few clients, and a network between them that delays every frame by chance and keeps the order of each
/// connection. One seed decides everything; the clock is virtual.
///
/// It checks all along and at the end, and throws ``Broken`` with the invariant that does not hold.
final class World {
  struct Configuration {
    var tableType: String
    var clients = 2...6
    var operationsPerClient = 1...12
    /// A client loses its connection once in so many actions; 0 for never.
    var lossOnceIn = 0
    /// A client asks for a snapshot once in so many actions; 0 for never.
    var snapshotOnceIn = 0
    /// Whether the daemon hears how much of its output each client has yet to read.
    var reportsBacklog = false
    var limits = SyncLimits()
    var sabotage: Sabotage?
  }

  struct Broken: Error, CustomStringConvertible {
    let invariant: String
    let detail: String

    init(_ invariant: String, _ detail: String) {
      self.invariant = invariant
      self.detail = detail
    }

    var description: String { "\(invariant): \(detail)" }
  }

  let configuration: Configuration
  var random: RandomSource
  let daemon: Daemon
  var clients: [Client] = []
  var recorder: Recorder
  /// Virtual nanoseconds.
  var now: UInt64 = 1_000_000_000
  /// When the present turn ends, and when what has ended is durable.
  var turnAt: UInt64?
  var commitAt: UInt64?
  /// Connections that are gone, which the daemon has not noticed.
  var forgotten: [ConnectionID] = []
  /// Whether the sabotage was done.
  var isSabotaged = false
  /// How often each kind of thing happened, to see that a world is no desert.
  var tally: [String: Int] = [:]

  /// How many may play; the others watch.
  let seatsMax: Int

  init(_ configuration: Configuration, seed: UInt64) {
    self.configuration = configuration
    seatsMax = TestTypes.known[configuration.tableType]?.seatsMax ?? 1
    random = RandomSource(seed: seed)
    daemon = Daemon(limits: configuration.limits, seed: random.next())
    daemon.commitsAtOnce = false
    recorder = Recorder()
    // Few clients mostly: more seeds say more than more clients.
    let count = configuration.clients.lowerBound + random.below(1 + random.below(configuration.clients.count))
    for number in 0..<count { clients.append(Client(number: number, world: self)) }
  }

  /// Runs until everyone has done everything and nothing is in flight.
  func run() throws {
    // The first client makes the table; the others come while it plays.
    for number in clients.indices { clients[number].actsAt = now + UInt64(random.below(number * 2_000_000 + 1)) }
    var steps = 0
    while try step() || loseForgotten() {
      steps += 1
      if steps > 100_000 { throw Broken("I1", "the world does not come to rest") }
    }
    try checkRest()
  }

  // MARK: Time

  private enum Event {
    case act(Int)
    case up(Int)
    case down(Int)
    case tick(Int)
    case turn
    case commit
  }

  private func step() throws -> Bool {
    var earliest = UInt64.max
    var event: Event?
    func consider(_ time: UInt64?, _ candidate: Event) {
      if let time, time < earliest {
        earliest = time
        event = candidate
      }
    }
    for number in clients.indices {
      consider(clients[number].up.first?.due, .up(number))
      consider(clients[number].down.first?.due, .down(number))
      consider(clients[number].actsAt, .act(number))
      consider(clients[number].tickAt, .tick(number))
    }
    consider(turnAt, .turn)
    consider(commitAt, .commit)
    // After so long only heartbeats are left: whoever still waits for something waits in vain.
    guard let event, earliest < 6_000_000_000 else { return false }
    now = max(now, earliest)
    daemon.now = Instant(nanoseconds: now)
    switch event {
    case .act(let number): try act(clients[number])
    case .up(let number): try deliverUp(clients[number])
    case .down(let number): try deliverDown(clients[number])
    case .tick(let number):
      try clients[number].handle { machine, now, effects in machine.tick(at: now, into: &effects) }
    case .turn:
      turnAt = nil
      daemon.endTurn()
      collect()
      commitAt = commitAt ?? now + UInt64(random.below(300_000))
      if daemon.shard.wantsTurn { turnAt = now + 1 }
    case .commit:
      commitAt = nil
      daemon.commit()
      collect()
    }
    return true
  }

  // MARK: The network

  private func deliverUp(_ client: Client) throws {
    let message = client.up.removeFirst().message
    guard let connection = client.connection else { return }
    let before = daemon.shard.tables.isEmpty ? nil : daemon.state
    daemon.receive(sabotage(message), on: connection)
    try recorder.note(daemon, since: before, world: self)
    turnAt = turnAt ?? now + UInt64(random.below(50_000))
  }

  private func deliverDown(_ client: Client) throws {
    let message = client.down.removeFirst().message
    reportBacklog(of: client)
    if let message = sabotage(message, to: client) { try client.hear(message) }
  }

  /// A hundred bytes for every message that was not read: what matters is that it rises and falls.
  private func reportBacklog(of client: Client) {
    guard configuration.reportsBacklog, let connection = client.connection else { return }
    daemon.backlog(of: connection, client.down.count * 100)
    if daemon.shard.wantsTurn { turnAt = turnAt ?? now + 1 }
    count(daemon.table.members.contains { !$0.isLive && !$0.isLoading } ? "backlogs with someone lagging" : "backlogs")
  }

  /// Hands what the daemon released to the network.
  private func collect() {
    for client in clients {
      guard let connection = client.connection else { continue }
      for message in daemon.take(connection) {
        client.down.append((due: max(client.down.last?.due ?? 0, now + delay(of: client)), message: message))
      }
      reportBacklog(of: client)
    }
  }

  func send(_ message: ClientMessage, from client: Client) {
    client.up.append((due: max(client.up.last?.due ?? 0, now + delay(of: client)), message: message))
  }

  private func delay(of client: Client) -> UInt64 { UInt64(random.below(client.meanDelay * 2)) }

  func connect(_ client: Client) throws {
    client.connection = daemon.connect()
    try client.handle { machine, now, effects in machine.connected(at: now, into: &effects) }
  }

  /// The network is gone; some of what was on its way may still arrive.
  func lose(_ client: Client) throws {
    guard let connection = client.connection else { return }
    for _ in 0..<random.below(client.up.count + 1) { try deliverUp(client) }
    disconnect(client)
    // The daemon hears of it at once, or not before the client has come back.
    if random.happens(onceIn: 2) { daemonLoses(connection) }
    turnAt = turnAt ?? now + 1
    count("connections lost")
    try client.handle { machine, now, effects in machine.closed(at: now, into: &effects) }
  }

  private func daemonLoses(_ connection: ConnectionID) {
    forgotten.removeAll { $0 == connection }
    if !daemon.closed.contains(connection) { daemon.lose(connection) }
    turnAt = turnAt ?? now + 1
  }

  /// In the end the daemon notices every connection that is gone.
  private func loseForgotten() throws -> Bool {
    guard let connection = forgotten.first else { return false }
    daemonLoses(connection)
    return true
  }

  func disconnect(_ client: Client) {
    if let connection = client.connection { forgotten.append(connection) }
    client.up.removeAll()
    client.down.removeAll()
    client.connection = nil
  }

  func count(_ what: String) { tally[what, default: 0] += 1 }

  // MARK: What must hold when nothing is in flight

  private func checkRest() throws {
    if let broken = daemon.state.brokenInvariant() { throw Broken("I4", "the daemon: \(broken)") }
    for client in clients { try client.checkRest() }
  }
}
