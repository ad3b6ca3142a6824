import BaizeTable
import BaizeWire

@testable import BaizeSync

/// A client of the world: the real machine, the links to and from the daemon, and what it is held to.
final class Client {
  let number: Int
  private(set) var machine: ClientMachine
  var connection: ConnectionID?
  var up: [(due: UInt64, message: ClientMessage)] = []
  var down: [(due: UInt64, message: ServerMessage)] = []
  var actsAt: UInt64?
  private(set) var tickAt: UInt64?
  let meanDelay: Int
  let meanPause: Int
  var actionsLeft: Int
  private(set) var session: SessionID?
  /// How many answers came, by operation.
  private(set) var answers: [SequenceNumber: Int] = [:]
  private(set) var intentions: [SequenceNumber: Intention] = [:]
  private var shown: ShownTable?
  /// The revision of the last snapshot: a replica has no history from before it.
  private var loadedAt = Revision.zero
  /// The last operation of which only a snapshot tells what became: the daemon knows more about it than the replica.
  private var swallowed = SequenceNumber.zero
  private var heardCount = 0
  /// What was reported since the last message came.
  private var reported: [TableChange] = []
  private unowned let world: World

  init(number: Int, world: World) {
    self.number = number
    self.world = world
    var configuration = ClientConfiguration(
      table: "world", tableType: world.configuration.tableType, name: "client \(number)",
      role: number >= world.seatsMax || number > 0 && world.random.happens(onceIn: 10) ? .spectator : .player)
    configuration.hashCheckSeconds = 1
    configuration.retryMilliseconds = 2
    configuration.backoffMilliseconds = 1
    configuration.backoffMillisecondsMax = 4
    machine = ClientMachine(
      configuration: configuration, types: TestTypes(), random: RandomSource(seed: world.random.next()))
    meanDelay = world.random.pick([20_000, 200_000, 1_000_000, 4_000_000])
    meanPause = world.random.pick([50_000, 300_000, 2_000_000])
    let operations = world.configuration.operationsPerClient
    actionsLeft = operations.lowerBound + world.random.below(1 + world.random.below(operations.count))
  }

  // MARK: The host's part

  /// Lets something happen to the machine, carries out what it asks for, and checks what it says.
  @discardableResult
  func handle<Result>(
    _ body: (inout ClientMachine, Instant, inout [ClientEffect]) throws -> Result
  ) throws -> Result {
    var effects: [ClientEffect] = []
    let result = try body(&machine, Instant(nanoseconds: world.now), &effects)
    for effect in effects { try carryOut(effect) }
    // A client that waits for nothing has nothing to do; its heartbeat would keep the world awake for ever.
    let waits = !machine.isLive || !(machine.replica?.pending.isEmpty ?? true)
    tickAt = waits ? machine.nextDeadline.map { max($0.nanoseconds, world.now + 1) } : nil
    return result
  }

  private func carryOut(_ effect: ClientEffect) throws {
    switch effect {
    case .connect: try world.connect(self)
    case .send(let message): world.send(message, from: self)
    case .disconnect: world.disconnect(self)
    case .event(.joined(let session, _)):
      if let known = self.session, known != session { throw World.Broken("I3", "\(name) became another session") }
      self.session = session
    case .event(.changed(let changes)):
      if changes == [.reloaded] { loadedAt = machine.replica?.confirmedRevision ?? .zero }
      try show(changes)
    case .event(.answered(let answered)): try note(answered)
    case .event(.diverged(let why)): throw World.Broken("I2", "\(name) diverged: \(why)")
    case .event(.ended(let goodbye)): throw World.Broken("I3", "\(name) was let go: \(goodbye)")
    case .event(.disconnected), .event(.diff), .event(.drag), .event(.seats): break
    }
  }

  private var name: String { "client \(number)" }

  // MARK: Acting

  func submit(_ kind: TableOperation.Kind, sendsRefused: Bool) throws {
    let presumed = machine.replica?.pending.reduce(into: Set<ItemID>()) { $0.formUnion($1.operation.items) } ?? []
    let submission = try handle { machine, now, effects in
      machine.submit(kind, sendsRefused: sendsRefused, at: now, into: &effects)
    }
    guard let replica = machine.replica, let operation = submission?.operation else { return }
    answers[operation.sequence] = 0
    world.count("submitted")
    if let submission, case .shown(.move, _, isRedirected: false) = submission.prediction {
      intentions[operation.sequence] = Intention(of: operation, in: replica.state, presumed: presumed)
    }
  }

  // MARK: Hearing

  func hear(_ message: ServerMessage) throws {
    heardCount += 1
    let first = machine.replica?.pending.first
    let wasLive = machine.isLive
    reported = []
    try handle { machine, now, effects in machine.receive(message, at: now, into: &effects) }
    guard let replica = machine.replica, machine.isLive else { return }
    switch message {
    case .diff(let diff):
      world.count("diffs heard")
      if wasLive { try compare(replica) }
      if diff.author == session, let first, wasLive { try compare(first, with: diff) }
    case .outcome(let outcome):
      if let first, wasLive { try compare(first, with: outcome) }
      if outcome.verdict == .refused { try checkNoTrace(replica) }
    case .snapshot: try compare(replica)
    case .welcome, .drag, .pong, .seats, .goodbye, .unknown: break
    }
  }

  /// I1: what is confirmed is what the daemon had at that revision; without pending operations that is what is shown.
  private func compare(_ replica: Replica, isSampled: Bool = true) throws {
    guard heardCount % (replica.pending.isEmpty ? 2 : 4) == 0 || !isSampled else { return }
    var copy = replica
    let hash = copy.confirmedHash()
    guard hash == world.recorder.hash(at: replica.confirmedRevision) else {
      throw World.Broken("I1", "\(name) differs from the daemon at revision \(replica.confirmedRevision.rawValue)")
    }
    if let broken = heardCount % 16 == 0 ? replica.state.brokenInvariant() : nil {
      throw World.Broken("I4", "\(name): \(broken)")
    }
    guard replica.pending.isEmpty else { return }
    var visible = replica.state
    guard visible.viewHash() == hash else { throw World.Broken("I10", "\(name) shows what nothing stands for") }
  }

  // MARK: Prediction equals verdict

  /// The oldest pending operation was judged here on the very state that the daemon judged it on.
  private func isForeseeable(_ pending: PendingOperation, _ sequence: SequenceNumber) -> Bool {
    pending.operation.sequence == sequence && !pending.isInState && pending.operation.base >= loadedAt
      && pending.prediction != .unknown
      && sequence.rawValue > swallowed.rawValue + UInt64(pending.operation.unanswered)
  }

  private func compare(_ first: PendingOperation, with diff: Diff) throws {
    guard isForeseeable(first, diff.sequence) else { return }
    world.count("predictions checked")
    let verdict = Prediction.shown(diff.operation, isRebased: diff.isRebased, isRedirected: diff.isRedirected)
    guard first.prediction == verdict else {
      throw World.Broken("I10", "\(name) foresaw \(first.prediction) for \(first.operation), and it was \(diff)")
    }
    guard diff.isForeseen else { return }
    guard reported.allSatisfy(\.isNewName) else {
      throw World.Broken("I10", "\(name) was told of \(reported) when its own \(diff) was confirmed")
    }
  }

  private func compare(_ first: PendingOperation, with outcome: Outcome) throws {
    guard isForeseeable(first, outcome.sequence) else { return }
    let agrees: Bool
    switch (outcome.verdict, first.prediction) {
    case (.refused, .refused(let refusal)): agrees = refusal.reason == outcome.refusal.reason
    case (.unchanged, .unchanged), (.retry, _), (.duplicate, _): agrees = true
    case (.refused, _), (.unchanged, _): agrees = false
    }
    world.count("verdicts \(outcome.verdict)")
    if outcome.verdict == .refused { world.count("refused \(outcome.refusal.reason.rawValue)") }
    guard agrees else {
      throw World.Broken("I10", "\(name) foresaw \(first.prediction) for \(first.operation), and it was \(outcome)")
    }
  }

  // MARK: Refusals

  /// I10: what is shown after a refusal is what a client shows that never asked: the daemon's snapshot, and the operations
  /// that are still pending on top.
  private func checkNoTrace(_ replica: Replica) throws {
    guard let state = world.recorder.state(at: replica.confirmedRevision) else { return }
    // A fresh replica does not know what came before its snapshot, so only what needs no rebase can be compared.
    let foreign = world.recorder.diffs.last { $0.author != session && $0.revision <= replica.confirmedRevision }
    let known = max(foreign?.revision ?? .zero, loadedAt)
    guard replica.pending.allSatisfy({ $0.operation.base >= known && !$0.isInState }) else { return }
    var fresh = Replica(
      state: try Snapshot.carried(state, epoch: replica.epoch), epoch: replica.epoch, author: replica.author,
      lastSequence: replica.pending.first.map { SequenceNumber(rawValue: $0.operation.sequence.rawValue - 1) } ?? .zero)
    fresh.adopt(replica.pending, of: replica.epoch, memory: replica.answerMemory)
    world.count("refusals checked")
    var shown = replica.state
    var expected = fresh.state
    guard shown.viewHash() == expected.viewHash() else {
      throw World.Broken("I10", "a refused operation left a trace at \(name)")
    }
  }

  private func note(_ answered: Answered) throws {
    let sequence = answered.operation.sequence
    answers[sequence, default: 0] += 1
    guard answers[sequence] == 1 else {
      throw World.Broken("I3", "\(name) got \(answers[sequence] ?? 0) answers to operation \(sequence.rawValue)")
    }
    switch answered.answer {
    case .accepted: world.count("accepted")
    case .acceptedBefore:
      swallowed = max(swallowed, sequence)
      world.count("accepted before")
    case .unchanged: world.count("unchanged")
    case .refused: world.count("refused")
    case .unknown: throw World.Broken("I3", "the fate of operation \(sequence.rawValue) of \(name) is unknown")
    }
  }

  // MARK: Showing

  /// The reported changes take what is shown to the visible state.
  private func show(_ changes: [TableChange]) throws {
    guard let state = machine.replica?.state else { return }
    var next = shown ?? ShownTable(state)
    // What is shown wrongly stays wrong: looking now and then, and in the end, is enough.
    let looks = heardCount % 4 == 0
    let wrong = next.apply(changes, to: state) ?? (looks ? next.difference(from: state) : nil)
    if let wrong { throw World.Broken("I10", "\(name) was told of \(changes): \(wrong)") }
    shown = next
    reported += changes
  }

  // MARK: At rest

  func checkRest() throws {
    guard machine.isLive, let replica = machine.replica else {
      throw World.Broken("I1", "\(name) is \(machine.phase) in the end")
    }
    for (sequence, count) in answers.sorted(by: { $0.key < $1.key }) where count != 1 {
      throw World.Broken("I3", "operation \(sequence.rawValue) of \(name) has \(count) answers")
    }
    guard replica.pending.isEmpty else { throw World.Broken("I3", "\(name) still waits for \(replica.pending.count)") }
    guard replica.confirmedRevision == world.daemon.state.revision else {
      throw World.Broken("I2", "\(name) ends at revision \(replica.confirmedRevision.rawValue)")
    }
    try compare(replica, isSampled: false)
    if let broken = replica.state.brokenInvariant() { throw World.Broken("I4", "\(name): \(broken)") }
    guard replica.state.itemCount == world.daemon.state.itemCount else {
      throw World.Broken("I4", "\(name) has \(replica.state.itemCount) items in the end")
    }
    if let wrong = shown?.difference(from: replica.state) {
      throw World.Broken("I10", "\(name) shows in the end: \(wrong)")
    }
  }
}

extension Diff {
  /// Whether its author could know all of it: no faces that were hidden, no new names but for what it made itself.
  fileprivate var isForeseen: Bool {
    changes.allSatisfy { change in
      switch change {
      case .faced: false
      case .inserted: !minted.isEmpty
      case .moved, .removed, .status, .enabled, .counted, .variables, .seats: true
      }
    }
  }
}

extension TableChange {
  fileprivate var isNewName: Bool {
    if case .renamed = self { true } else { false }
  }
}

extension TableOperation {
  /// The items that it names as sources.
  var items: Set<ItemID> {
    switch kind {
    case .reorder(let difference, _): Set(difference.sources)
    case .remove(let items), .perform(_, let items, _): Set(items)
    case .update(let item, _, _): [item]
    case .insert, .undo, .unknown: []
    }
  }
}
