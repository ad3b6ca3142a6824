import BaizeSync
import BaizeTable
import BaizeWire
import BaizeWorkload

/// A client of a world: the real machine, its connection, and its checks.
final class Client {
  let number: Int
  /// The index of its table in the plan.
  let table: Int
  var machine: ClientMachine
  var link: Link?
  private(set) var wantsConnection = false
  private(set) var session: SessionID?
  /// The ticket of that session.
  private var ticket: [UInt8]?
  /// Whether it left, or was rejected.
  private(set) var hasEnded = false
  /// The order of what it receives, and its last hello.
  var order: OrderCheck
  private(set) var hello: Hello?
  /// The pending operations, as the replica has them.
  private(set) var pending: [Pending] = []
  var shown: ShownTable?
  /// The revision of the last snapshot: a replica has no history from before it.
  var loadedAt = Revision.zero
  /// The items that its session had placed last when it loaded that snapshot, which does not say so.
  private(set) var placedBeforeLoading: Set<ItemID> = []
  /// The last operation whose effect was part of a snapshot: the daemon has more data about it than the replica.
  var swallowed = SequenceNumber.zero
  var receivedCount = 0
  /// The number of reports of the same event still to come: only the last leads to the present state.
  private(set) var changesLeft = 0
  /// The changes reported since the last message.
  var reported: [TableChange] = []
  /// Its own last value of presence.
  private(set) var value: [UInt8] = []
  unowned let world: World

  /// An operation by its present number, and by its index, which never changes.
  struct Pending {
    var sequence: SequenceNumber
    let asked: Int
  }

  init(number: Int, world: World, chance: inout RandomSource) {
    self.number = number
    self.world = world
    order = OrderCheck(isDurable: world.plan.durability == .strict)
    let participant = world.plan.clients[number]
    table = participant.table
    let role: Role = if case .player = participant { .player } else { .spectator }
    var configuration = ClientConfiguration(
      table: SimulationPlan.name(ofTable: table), tableType: world.plan.tables[table], name: "client \(number)",
      role: role)
    configuration.hashCheckSeconds = 1
    configuration.retryMilliseconds = 2
    configuration.backoffMilliseconds = 1
    configuration.backoffMillisecondsMax = 4
    machine = ClientMachine(configuration: configuration, types: SimulatedTypes(), random: chance.split())
  }

  var name: String { "client \(number)" }
  var hasStarted: Bool { machine.phase != .idle }

  /// Whether it waits for a deadline or for the daemon.
  var waits: Bool { hasStarted && !hasEnded && (!machine.isLive || !pending.isEmpty || machine.hasPresenceToSend) }

  // MARK: The host's part

  /// Calls the machine, carries out its effects, and checks its events.
  @discardableResult
  func handle<Result>(
    _ body: (inout ClientMachine, Instant, inout [ClientEffect]) -> Result
  ) throws -> Result {
    var effects: [ClientEffect] = []
    let before = machine.welcome
    let result = body(&machine, world.now, &effects)
    changesLeft = effects.count { if case .event(.changed) = $0 { true } else { false } }
    for effect in effects { try carryOut(effect, before) }
    try follow()
    return result
  }

  private func carryOut(_ effect: ClientEffect, _ before: Welcome?) throws {
    switch effect {
    case .connect: wantsConnection = true
    case .persist: break
    case .send(let message):
      if case .hello(let hello) = message { self.hello = hello }
      link?.up.append(message)
    case .refreshToken: break
    case .disconnect: world.drop(self)
    case .event(.joined(let session, _)): try join(session)
    case .event(.changed(let changes)):
      changesLeft -= 1
      if changes == [.reloaded], let replica = machine.replica { load(replica) }
      try show(changes)
    case .event(.answered(let answered)): try note(answered, before)
    case .event(.diverged(let why)): throw InvariantViolation("I2", "\(name) diverged: \(why)")
    case .event(.ended(let goodbye)): try end(goodbye)
    case .event(.disconnected(let goodbye, _)): lose(goodbye)
    case .event(.diff), .event(.drag), .event(.seats), .event(.presence), .event(.chat), .event(.countdown),
      .event(.watching):
      break
    }
  }

  private func load(_ replica: Replica) {
    loadedAt = replica.confirmedRevision
    placedBeforeLoading = world.models[table].itemsPlaced(
      by: replica.author.session, at: loadedAt, epoch: replica.epoch)
  }

  func connected(_ link: Link) {
    wantsConnection = false
    self.link = link
  }

  func refused() { wantsConnection = false }

  /// I3, I7: a client resumes its own session, unless that has been ended or lost; its ticket says which.
  private func join(_ session: SessionID) throws {
    if let known = self.session {
      let text = "\(name) was session \(known.rawValue), and is \(session.rawValue)"
      if machine.welcome?.ticket == ticket {
        try hold(known == session, "I7", text)
      } else {
        try hold(world.isKicked(known, atTable: table) || world.mayHaveLost, "I7", text)
        swallowed = .zero
      }
    }
    (self.session, ticket) = (session, machine.welcome?.ticket)
  }

  /// Handles the loss of a connection.
  private func lose(_ goodbye: Goodbye?) {
    if goodbye?.reason == .reseated { world.count(.reseated) }
  }

  private func end(_ goodbye: Goodbye) throws {
    hasEnded = true
    switch goodbye.reason {
    case .leaving: world.count(.left)
    case .kicked: world.count(.kicked)
    case .tableFull:
      world.count(.rejected)
      try hold(world.models[table].wasFull, "I5", "\(name) was rejected from a table with free seats")
    default: throw InvariantViolation("I3", "\(name) was disconnected: \(goodbye)")
    }
  }

  // MARK: Acting

  func act(_ action: ClientAction) throws {
    guard let kind = machine.replica.flatMap({ action.operation(at: $0.state, after: $0.lastSequence) }) else { return }
    let moved = machine.replica?.table.predictedItems ?? []
    let presumed = machine.replica?.pending.reduce(into: moved) { $0.formUnion($1.operation.items) } ?? []
    let submission = try handle { machine, now, effects in
      let submission = machine.submit(kind, sendsRefused: action.isForced, at: now, into: &effects)
      if let operation = submission?.operation { self.ask(operation) }
      return submission
    }
    guard let replica = machine.replica, let submission, let operation = submission.operation else { return }
    // Only its author sees the effect of a pending undo.
    guard !replica.pending.contains(where: \.operation.isUndo) else { return }
    if case .shown(.move, _, isRedirected: false) = submission.prediction {
      world.asked[pending.last?.asked ?? 0].intention = Intention(
        of: operation, in: replica.state, presumed: presumed)
    }
  }

  /// Sets the client's value, 0 for none, and sends it as a message, too.
  func express(_ value: UInt8) throws {
    guard hasStarted, !hasEnded else { return }
    self.value = value == 0 ? [] : Array(repeating: value, count: Int(value))
    let refusals = try handle { machine, now, effects in
      [
        machine.setPresence(self.value, at: now, into: &effects),
        machine.send(Chat(text: "\(value)"), at: now, into: &effects),
      ]
    }
    if let refusal = refusals[0] { throw InvariantViolation("I12", "\(name) may not express itself: \(refusal)") }
    if refusals[1] == nil { world.count(.chats) }
  }

  private func ask(_ operation: TableOperation) {
    world.count(.operations)
    pending.append(Pending(sequence: operation.sequence, asked: world.asked.count))
    world.operations.submitted(operation.kind, by: number)
    var asked = World.Asked(client: number)
    if case .perform(let action, _, let destination) = operation.kind {
      asked.host = HostAction(action: action, destination: destination)
    }
    world.asked.append(asked)
  }

  /// I3: follows the numbers that the replica gives its operations; none may be lost or added.
  private func follow() throws {
    guard let replica = machine.replica else {
      return try hold(pending.isEmpty, "I3", "\(name) has forgotten \(pending.count) operations")
    }
    if case .ended = machine.phase {
      return try hold(pending.isEmpty, "I3", "\(name) has ended with \(pending.count) operations pending")
    }
    try hold(
      replica.pending.count == pending.count, "I3",
      "\(name) waits for \(replica.pending.count) answers, not \(pending.count)")
    guard let session else { return }
    for (index, submitted) in replica.pending.enumerated() {
      pending[index].sequence = submitted.operation.sequence
      let key = OperationKey(session: session, sequence: submitted.operation.sequence)
      world.names[World.Name(table: table, epoch: replica.epoch, operation: key)] = pending[index].asked
    }
  }

  private func note(_ answered: Answered, _ before: Welcome?) throws {
    let sequence = answered.operation.sequence
    let index = try require(
      pending.firstIndex { $0.sequence == sequence }, "I3",
      "\(name) got an answer to operation \(sequence.rawValue), for which it does not wait")
    let asked = pending.remove(at: index).asked
    // Only another session or the end may keep a client from receiving its outcome.
    let hasEnded = if case .ended = machine.phase { true } else { false }
    let isAnother = machine.welcome?.ticket != before?.ticket
    world.operations.answered(
      asked, OperationLedger.Verdict(answered.answer), mayBeUnknown: hasEnded || isAnother)
    try world.operations.faults.expectNone(at: name)
    switch answered.answer {
    case .accepted: world.count(.accepted)
    case .acceptedBefore:
      swallowed = max(swallowed, sequence)
      world.count(.acceptedBefore)
    case .unchanged: world.count(.unchanged)
    case .invited: world.count(.invited)
    case .refused: world.count(.refused)
    case .unknown: world.count(.unknown)
    }
  }
}
