import BaizeBot
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import BaizeWorkload

extension Driver {
  /// Lets every player submit operations, until the next call.
  ///
  /// - Parameters:
  ///   - window: The number of operations in flight of each player; with a plan, the maximum.
  ///   - rate: Planned operations per second of all players together, each player in turn. A turn that comes while the
  ///     player's window is full waits; its operation is sent later, and keeps its planned time.
  ///   - seconds: The length of the plan.
  ///   - isPunctual: Whether turns are taken on time, which keeps a core busy, and times count from the plan. Otherwise turns
  ///     are taken within a millisecond or two, and times count from sending.
  ///   - count: The number of operations without a plan; any unless given.
  package func submit(
    _ source: OperationSource, window: Int = 1, rate: Double? = nil, for seconds: Double = .infinity,
    isPunctual: Bool = false, count: Int = .max
  ) {
    supply.source = source
    supply.isPunctual = isPunctual
    supply.window = min(window, LoadOptions.windowMax)
    supply.left = count
    now = MonotonicClock.now()
    let end = seconds.isFinite ? now &+ UInt64(seconds * 1e9) : .max
    supply.pace = rate.map { Pace(perSecond: $0, from: now, to: end) }
    // What is still in flight when the submitting ends belongs to the plan, if there was one.
    if case .none = source {} else { supply.isPlanned = rate != nil }
    for number in seats.indices { (seats[number].turnsDue, seats[number].turnsTaken) = (0, 0) }
    prepare(source)
    guard supply.pace == nil else { return }
    for number in members.indices { fillWindow(&members[number], number) }
  }

  /// Whether the operations that were counted are submitted and answered.
  package var isDone: Bool { supply.left == 0 && members.allSatisfy { $0.pending == 0 } }

  // MARK: The plan

  /// A loop waits for whole milliseconds, rounded up: in the last one before a turn this one does not wait.
  package var nextDeadline: UInt64? {
    supply.pace?.nextDue.map { supply.isPunctual ? $0 &- min($0, Self.waitNanosecondsMin) : $0 }
  }

  private static let waitNanosecondsMin: UInt64 = 1_000_000

  /// Gives the players whose turns have come by the plan their turns.
  package func turnEnded(now time: UInt64) {
    guard supply.pace != nil else { return }
    now = MonotonicClock.now()
    while let due = supply.pace?.takeDue(at: now) {
      counters.planned &+= 1
      if now - due.time > LoadOptions.lateNanoseconds { counters.late &+= 1 }
      let number = member(of: due.turn)
      seats[number].turnsDue += 1
      submitDue(&members[number], number)
    }
  }

  private var playerCount: Int { tables.count * players }

  /// Returns the number of the member whose turn it is.
  private func member(of turn: UInt64) -> Int {
    let player = Int(turn % UInt64(playerCount))
    return player / players * perTable + player % players
  }

  /// Submits the operations of a player whose planned times have passed, as far as its window allows.
  @inline(never) private func submitDue(_ member: inout DriverMember, _ number: Int) {
    guard seats[number].turnsTaken < seats[number].turnsDue, member.isLive, member.retryFrom == 0,
      let replica = tables[Int(member.table)].replica
    else { return }
    while seats[number].turnsTaken < seats[number].turnsDue, member.pending < supply.window {
      supply.plannedTime = plannedTime(number, seats[number].turnsTaken)
      seats[number].turnsTaken += 1
      if !choose(replica, replica.state, &member, number) { counters.passed &+= 1 }
    }
  }

  /// Returns the time of a player's turn, in monotonic nanoseconds.
  private func plannedTime(_ number: Int, _ turn: UInt64) -> UInt64 {
    let player = number / perTable * players + number % perTable
    return supply.pace?.time(of: turn &* UInt64(playerCount) &+ UInt64(player)) ?? now
  }

  /// The number of waits that are recorded for each player one by one; of more, each stands for several.
  private static let waitsMax: UInt64 = 10_000

  /// Ends the plan. What was not sent by then has waited in vain, and its wait until now counts as its response time, which
  /// would have been longer still.
  package func endPlan() {
    turnEnded(now: MonotonicClock.now())
    for number in members.indices where members[number].isPlayer {
      let turns = seats[number].turnsTaken..<seats[number].turnsDue
      let step = max(1, UInt64(turns.count) / Self.waitsMax)
      for turn in stride(from: turns.lowerBound, to: turns.upperBound, by: Int(step)) {
        let waited = now &- min(now, plannedTime(number, turn))
        let times = min(step, turns.upperBound - turn)
        counters.unsent &+= times
        counters.response.record(waited, times: UInt32(clamping: times))
        counters.toLast.record(waited, times: UInt32(clamping: times))
      }
      seats[number].turnsTaken = seats[number].turnsDue
    }
    supply.pace = nil
    supply.source = .none
  }

  // MARK: Sources

  /// Prepares the operations of a source that needs no copies any more.
  private func prepare(_ source: OperationSource) {
    switch source {
    case .none, .choices: return
    case .routes where supply.routes.isEmpty:
      supply.routes = members.indices.map { number in
        guard let state = tables[number / perTable].replica?.state, members[number].isPlayer else { return Route() }
        return Route(of: number % perTable, among: players, at: state, seats[number].epoch, &supply.random)
      }
    case .blocks where supply.blocks.isEmpty:
      supply.blocks = tables.map { $0.replica?.state.itemIDs(in: Self.first) ?? [] }
    case .routes, .blocks: return
    }
    for number in members.indices { members[number].keepsCopy = false }
    for table in tables.indices { tables[table].replica = nil }
  }

  /// The first collection of a table.
  private static let first = CollectionHandle(rawValue: 1)

  /// Takes over the routes and sessions of a daemon's players.
  func repeatRoutes(of original: Driver) {
    supply.routes = original.supply.routes
    for number in members.indices { members[number].session = original.members[number % perTable].session }
  }

  /// Whether a member's items are where its route has moved them, or it has none.
  func isAsMoved(_ state: TableState, _ number: Int) -> Bool {
    guard number < supply.routes.count, members[number].isPlayer else { return true }
    return supply.routes[number].collections(after: members[number].sequence).allSatisfy {
      state.collection(of: $0.key) == $0.value
    }
  }

  // MARK: Submitting

  /// Submits until the member's window is full.
  @inline(__always) func fillWindow(_ member: inout DriverMember, _ number: Int) {
    guard member.isPlayer, member.isLive, member.pending < supply.window, member.retryFrom == 0 else { return }
    if supply.pace != nil { return submitDue(&member, number) }
    switch supply.source {
    case .none: return
    case .routes:
      while member.pending < supply.window, supply.left > 0 { submitRoute(&member, number) }
    case .choices:
      guard let replica = tables[Int(member.table)].replica else { return }
      let state = replica.state
      while member.pending < supply.window, supply.left > 0, choose(replica, state, &member, number) {}
    case .blocks:
      while member.pending < supply.window, supply.left > 0 { submitBlock(&member, number) }
    }
  }

  @inline(__always) private func submitRoute(_ member: inout DriverMember, _ number: Int) {
    guard let key = note(.move, &member, number) else { return }
    writer.removeAll()
    supply.routes[number].write(
      member.sequence, base: member.revision, pending: UInt32(truncatingIfNeeded: member.pending &- 1), into: &writer)
    writer.withUnsafeBytes { connections.append($0, to: key) }
  }

  /// - Returns: Whether there was an operation to choose.
  private func choose(
    _ replica: Replica, _ state: TableState, _ member: inout DriverMember, _ number: Int
  ) -> Bool {
    // At free lists any move is legal.
    let isFree = state.type.name == "grid" || state.type.name == "list"
    let kind = isFree ? state.anyMove(&supply.random, not: seats[number].moved) : ruled(replica)
    guard let kind else { return false }
    seats[number].noteMoved(kind, window: supply.pace == nil ? supply.window : Int(member.pending))
    submit(kind, base: state.revision, &member, number)
    return true
  }

  /// Returns an operation that the rules allow.
  private func ruled(_ replica: Replica) -> TableOperation.Kind? {
    guard case .submit(let kind, _) = supply.strategy.next(at: replica, random: &supply.random) else { return nil }
    return kind
  }

  private func submitBlock(_ member: inout DriverMember, _ number: Int) {
    let items = supply.blocks[Int(member.table)]
    let count = min(TableLimits.itemsPerOperationMax, items.count)
    let step = max(1, items.count / max(1, count))
    let offset = Int(truncatingIfNeeded: member.sequence &+ 1) % step
    let block = (0..<count).map { items[$0 * step + offset] }
    submit(.move(block, to: .end(of: Self.first)), base: Revision(rawValue: member.revision), &member, number)
  }

  private func submit(_ kind: TableOperation.Kind, base: Revision, _ member: inout DriverMember, _ number: Int) {
    guard let key = note(OperationKind(kind), &member, number) else { return }
    let operation = TableOperation(
      sequence: SequenceNumber(rawValue: member.sequence), base: base, epoch: seats[number].epoch,
      unanswered: UInt32(truncatingIfNeeded: member.pending &- 1), kind: kind)
    connections.send(.operation(operation), to: key)
  }

  /// Notes that a member submits its next operation.
  @inline(__always) private func note(
    _ kind: OperationKind, _ member: inout DriverMember, _ number: Int
  ) -> ConnectionKey? {
    member.sequence &+= 1
    member.pending &+= 1
    supply.left &-= 1
    counters.sent &+= 1
    if isTimed {
      let planned = supply.pace != nil && supply.isPunctual ? supply.plannedTime : now
      seats[number].noteSent(member.sequence, kind, planned: planned, at: now)
    }
    return member.key
  }
}
