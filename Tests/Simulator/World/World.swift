import BaizeSync
import BaizeTable
import BaizeWire
import BaizeWorkload

/// A daemon, its journal, a few clients and a network between them, in virtual time. Every event is a step of a script, or
/// of a generator whose steps are recorded as a script.
///
/// It checks I1–I5, I7, I9, I10, and the secrecy of invites (I6), after every step and at the end, and throws an
/// ``InvariantViolation``.
public final class World {
  let plan: SimulationPlan
  private var generator: StepGenerator?
  /// The steps so far: the script that leads to the same world.
  public private(set) var steps: [Step] = []
  public private(set) var counts = EventCounts()

  var host: ShardHost<MemoryJournal>
  private(set) var clients: [Client] = []
  /// By table.
  var models: [JournalModel]
  var time: UInt64 = 1_000_000_000
  private var tickAt: UInt64 = 2_000_000_000
  /// The time at which the journal is probed again.
  private var probeAt: UInt64 = 0
  /// Lost connections that the daemon has not noticed.
  var unnoticed: [ConnectionID] = []
  /// Abandoned connections whose messages are still in flight.
  var abandoned: [Link] = []
  /// The peers of the daemon's present process, by slot; an impostor has no number.
  var occupants: [Occupant?] = []
  /// By table: everything that the daemon sent.
  var histories: [HistoryLedger]
  /// Every operation that was ever submitted, and its answer.
  var operations = OperationLedger()
  /// By the ledger's entries: what else is known of them.
  var asked: [Asked] = []
  /// The entry of each operation, by the name under which it was sent.
  var names: [Name: Int] = [:]
  /// The invites that hosts received, as bytes in a frame, and who requested them.
  var invites: [(text: [UInt8], client: Int)] = []
  /// Whether faults have ended.
  var isSettling = false
  /// Whether events are traced.
  public var traces = false
  public internal(set) var traceLines: [String] = []
  /// Whether the plan's fault was injected.
  public internal(set) var isFaultInjected = false

  enum Occupant {
    /// A client, and the session to which it was welcomed on this connection.
    case client(Int, SessionID? = nil)
    case impostor(Int)
  }

  /// An operation of a client, whatever its number.
  struct Asked {
    let client: Int
    /// The host action, if it is one.
    var host: HostAction?
    var intention: Intention?
  }

  struct Name: Hashable {
    let table: Int
    let epoch: Epoch
    let operation: OperationKey
  }

  /// Creates a world for a script.
  public init(_ plan: SimulationPlan) {
    self.plan = plan
    host = ShardHost(plan.hostOptions(starts: 0), MemoryJournal())
    models = plan.tables.indices.map(JournalModel.init)
    histories = plan.tables.map { _ in HistoryLedger() }
    var chance = RandomSource(seed: ~plan.seed)
    for number in plan.clients.indices { clients.append(Client(number: number, world: self, chance: &chance)) }
  }

  /// Creates a world whose steps a generator chooses from one seed.
  public convenience init(
    _ scenario: Scenario? = nil, seed: UInt64, typeName: String? = nil, frameFault: FrameFault? = nil
  ) {
    var (plan, weights, random) = SimulationPlan.make(of: scenario, seed: seed, typeName: typeName)
    plan.frameFault = frameFault
    self.init(plan)
    generator = StepGenerator(weights, plan, random: random)
  }

  /// The plan and the steps so far.
  public var script: Script { Script(plan: plan, steps: steps) }

  /// Runs a script, or the generator's steps; then lets everything settle.
  public func run(_ script: [Step] = []) throws(InvariantViolation) {
    do {
      for step in script { try take(step) }
      while let step = generator?.next(in: self) { try take(step) }
      try settle()
      try checkRest()
    } catch let error as InvariantViolation {
      throw error
    } catch let error as DiffMismatch {
      throw InvariantViolation("I2", "the journal does not replay: \(error.detail)")
    } catch {
      throw InvariantViolation("I7", "\(error)")
    }
  }

  func count(_ event: CountedEvent) { counts.count(event) }

  var now: Instant { Instant(nanoseconds: time) }

  /// Whether a crash may have lost revisions that clients had seen.
  var mayHaveLost: Bool { plan.durability != .strict && host.starts > 0 }

  var isDiskFull: Bool { host.journal.failure != nil }

  var hasTables: Bool { models.contains { $0.durable != nil } }

  /// Returns the operation that was sent under a number.
  func asked(_ key: OperationKey, epoch: Epoch, table: Int) -> Asked? {
    names[Name(table: table, epoch: epoch, operation: key)].map { asked[$0] }
  }

  // MARK: Steps

  private func take(_ step: Step) throws {
    steps.append(step)
    count(.steps)
    try carryOut(step)
  }

  /// Carries out a step; one that is not possible does nothing.
  func carryOut(_ step: Step) throws {
    // Every step takes ten microseconds.
    time += 10_000
    trace(Source.text(step))
    if let number = step.client {
      if clients.indices.contains(number) { try carryOut(step, clients[number]) }
      return
    }
    switch step {
    case .start, .act, .ask, .leave, .connect, .refuse, .up, .down, .cut, .abandon, .impostor, .express: break
    case .arrive: arrive()
    case .notice: notice()
    case .turn: try endTurn()
    case .commit(let count): try commit(count)
    case .load: try load()
    case .make: try make()
    case .pass(let milliseconds): try pass(milliseconds)
    case .crash: try crash()
    case .restart: try restart()
    case .fill: fill()
    case .free: host.journal.failure = nil
    }
  }

  private func carryOut(_ step: Step, _ client: Client) throws {
    switch step {
    case .start: try client.handle { machine, now, effects in machine.start(at: now, into: &effects) }
    case .act(_, let action): if !client.hasEnded { try client.act(action) }
    case .ask: if client.machine.isLive { client.link?.up.append(.snapshotRequest(why: "by chance")) }
    case .express(_, let value): try client.express(value)
    case .leave: try leave(client)
    case .connect: try connect(client)
    case .refuse: try refuse(client)
    case .up: try deliverUp(client)
    case .down: try deliverDown(client)
    case .cut(_, let arriving): try cut(client, arriving: arriving)
    case .abandon: try abandon(client)
    case .impostor(_, let impersonation): impersonate(impersonation, to: client)
    case .arrive, .notice, .turn, .commit, .load, .make, .pass, .crash, .restart, .fill, .free: break
    }
  }

  private func leave(_ client: Client) throws {
    guard client.machine.isLive else { return }
    try client.handle { machine, now, effects in machine.leave(at: now, into: &effects) }
  }

  private func fill() {
    guard !isDiskFull else { return }
    host.journal.failure = JournalError(.storage, "the disk is full")
    count(.diskFull)
  }

  // MARK: Time

  /// Advances time, and calls what is due: the clients, the daemon's tick, the journal's probe.
  private func pass(_ milliseconds: UInt64) throws {
    time &+= min(milliseconds, 3_600_000) * 1_000_000
    for client in clients {
      guard let deadline = client.machine.nextDeadline, deadline <= now else { continue }
      try client.handle { machine, now, effects in machine.tick(at: now, into: &effects) }
    }
    if time >= tickAt {
      tickAt = time + 1_000_000_000
      host.tick(at: now)
    }
    guard host.isStorageFailed, time >= probeAt else { return }
    probeAt = time + 1_000_000_000
    try retryStorage()
  }

  private func retryStorage() throws {
    if plan.durability == .relaxed, !host.turns.isEmpty { return try commit(.max) }
    guard host.probe() else { return }
    count(.storageRecoveries)
    host.recoverStorage(at: now)
    try release()
  }
}
