import BaizeSync
import BaizeTable
import BaizeWire

/// A daemon, its journal, a few clients, and a network between them. Time is virtual, and nothing happens by itself: the
/// steps of a script say what does, or chance does, and then those steps can be had.
///
/// It checks I1–I5, I7, I9 and I10, and of I6 what is about invites, all along and in the end, and throws ``Broken`` with the one that does not hold.
public final class World {
  let plan: Plan
  private var director: Director?
  /// What has happened so far: the script that leads to the same world.
  public private(set) var steps: [Step] = []
  public private(set) var tally = Tally()

  var host: ShardHost<MemoryJournal>
  private(set) var clients: [Client] = []
  /// By table.
  var ledgers: [Ledger]
  var time: UInt64 = 1_000_000_000
  private var tickAt: UInt64 = 2_000_000_000
  /// When the disk is tried again.
  private var probeAt: UInt64 = 0
  /// Connections that are gone, which the daemon has not noticed.
  var unnoticed: [ConnectionID] = []
  /// Who has which connection, by slot, in the daemon's present process; an impostor has no number.
  var occupants: [Occupant?] = []
  /// Every operation that was ever submitted.
  var asked: [Asked] = []
  /// What operations were called when they were sent.
  var names: [Name: Int] = [:]
  /// The invites that hosts have got, as they stand in a frame, and who asked for them.
  var invites: [(text: [UInt8], client: Int)] = []
  /// Whether nothing goes wrong any more.
  var isSettling = false
  /// Whether what happens is written down.
  public var narrates = false
  public internal(set) var narration: [String] = []
  /// Whether the sabotage was done.
  public internal(set) var isSabotaged = false

  enum Occupant {
    case client(Int)
    case impostor(Int)
  }

  /// An operation of a client, whatever number it has.
  struct Asked {
    let client: Int
    /// What only a host may do, if it is that.
    var host: HostAction?
    var intention: Intention?
    var answer: Answer?
  }

  struct Name: Hashable {
    let table: Int
    let session: SessionID
    let epoch: Epoch
    let sequence: SequenceNumber
  }

  /// A world in which happens what a script says.
  public init(_ plan: Plan) {
    self.plan = plan
    host = ShardHost(plan.hostOptions(starts: 0), MemoryJournal())
    ledgers = plan.tables.indices.map(Ledger.init)
    var chance = RandomSource(seed: ~plan.seed)
    for number in plan.clients.indices { clients.append(Client(number: number, world: self, chance: &chance)) }
  }

  /// A world in which chance decides, from one seed.
  public convenience init(kind: Kind? = nil, seed: UInt64, sabotage: Sabotage? = nil) {
    var (plan, odds, random) = Plan.make(of: kind, seed: seed)
    plan.sabotage = sabotage
    self.init(plan)
    director = Director(odds, plan, random: random)
  }

  /// What the world is made of.
  public var script: Script { Script(plan: plan, steps: steps) }

  /// Runs a script, or what chance decides; then lets everything come to rest.
  public func run(_ script: [Step] = []) throws(Broken) {
    do {
      for step in script { try take(step) }
      while let step = director?.next(in: self) { try take(step) }
      try settle()
      try checkRest()
    } catch let error as Broken {
      throw error
    } catch let error as DiffMismatch {
      throw Broken("I2", "the journal does not replay: \(error.detail)")
    } catch {
      throw Broken("I7", "\(error)")
    }
  }

  func count(_ happening: Happening) { tally.count(happening) }

  var now: Instant { Instant(nanoseconds: time) }

  /// Whether a crash may have cost what was seen.
  var mayHaveLost: Bool { plan.durability != .strict && host.starts > 0 }

  var isDiskFull: Bool { host.journal.failure != nil }

  var hasTables: Bool { ledgers.contains { $0.durable != nil } }

  /// What was asked for under a number.
  func asked(_ key: OperationKey, epoch: Epoch, table: Int) -> Asked? {
    names[Name(table: table, session: key.session, epoch: epoch, sequence: key.sequence)].map { asked[$0] }
  }

  // MARK: Steps

  private func take(_ step: Step) throws {
    steps.append(step)
    count(.steps)
    try carryOut(step)
  }

  /// Carries out a step; one that makes no sense does nothing.
  func carryOut(_ step: Step) throws {
    // Time never stands still: ten microseconds for everything that happens.
    time += 10_000
    narrate(Source.text(step))
    switch step {
    case .start(let number), .act(let number, _), .ask(let number), .leave(let number), .connect(let number),
      .refuse(let number), .up(let number), .down(let number), .cut(let number, _), .impostor(let number, _):
      if clients.indices.contains(number) { try carryOut(step, clients[number]) }
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
    case .act(_, let deed): if !client.hasEnded { try client.act(deed) }
    case .ask: if client.machine.isLive { client.link?.up.append(.snapshotRequest(why: "by chance")) }
    case .leave: try leave(client)
    case .connect: try connect(client)
    case .refuse: try refuse(client)
    case .up: try deliverUp(client)
    case .down: try deliverDown(client)
    case .cut(_, let arriving): try cut(client, arriving: arriving)
    case .impostor(_, let pretence): pretend(pretence, to: client)
    case .notice, .turn, .commit, .load, .make, .pass, .crash, .restart, .fill, .free: break
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

  /// Lets time pass, and whoever waited for it act: the clients, the daemon's tick, the disk that is tried again.
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
