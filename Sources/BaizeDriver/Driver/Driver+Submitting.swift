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
  ///   - window: The number of operations in flight of each player.
  ///   - rate: Choices per second of all players together instead, each player in turn, submitted whether or not earlier ones
  ///     are answered: a slow daemon gets no less load.
  ///   - count: The number of operations; any unless given.
  package func submit(_ source: OperationSource, window: Int = 1, rate: Double? = nil, count: Int = .max) {
    supply.source = source
    supply.window = rate == nil ? window : 0
    supply.left = count
    now = MonotonicClock.now()
    supply.pace = rate.map { Pace(perSecond: $0, from: now) }
    prepare(source)
    for number in members.indices { fillWindow(&members[number], number) }
  }

  /// Whether the operations that were counted are submitted and answered.
  package var isDone: Bool { supply.left == 0 && members.allSatisfy { $0.pending == 0 } }

  package var nextDeadline: UInt64? { supply.pace?.nextDue }

  /// Submits the operations that are due by the pace.
  package func turnEnded(now time: UInt64) {
    guard supply.pace != nil else { return }
    now = MonotonicClock.now()
    while let turn = supply.pace?.takeDue(at: now) {
      let player = turn % (tables.count * players)
      let number = player / players * perTable + player % players
      guard members[number].isLive, members[number].retryFrom == 0, members[number].pending < DriverSeat.inFlightMax,
        let replica = tables[player / players].replica
      else {
        noted.goodbyes["a player got no answer for too long", default: 0] += 1
        continue
      }
      _ = choose(replica, replica.state, &members[number], number)
    }
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
    guard let key = note(&member, number) else { return }
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
    seats[number].noteMoved(kind, window: supply.window)
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
    guard let key = note(&member, number) else { return }
    let operation = TableOperation(
      sequence: SequenceNumber(rawValue: member.sequence), base: base, epoch: seats[number].epoch,
      unanswered: UInt32(truncatingIfNeeded: member.pending &- 1), kind: kind)
    connections.send(.operation(operation), to: key)
  }

  /// Notes that a member submits its next operation.
  @inline(__always) private func note(_ member: inout DriverMember, _ number: Int) -> ConnectionKey? {
    member.sequence &+= 1
    member.pending &+= 1
    supply.left &-= 1
    if isTimed { seats[number].noteSent(member.sequence, at: now) }
    return member.key
  }
}
