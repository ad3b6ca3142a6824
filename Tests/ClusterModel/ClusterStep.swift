/// What leads from one state to the next.
package enum ClusterStep: Hashable, Sendable {
  case begins(node: Int, orphaned: Bool)
  case commits(node: Int, orphaned: Bool)
  case isRefused(node: Int, orphaned: Bool)
  case doesNotWait(node: Int)
  case standbyReceives
  case failover
  case crashes(node: Int)
  case isCut(node: Int)
  case connects(node: Int)
  case takesAnswer(node: Int)
  case findsRaise(node: Int)
  case raises(node: Int)
  case givesUp(node: Int)
  case losesLease(node: Int)
  case reserves(node: Int)
  case loads(node: Int)
  case suspects(node: Int)
  case takes(node: Int)
  case dropsRaise(node: Int)
  case judges(node: Int, operation: UInt8)
  case drains(node: Int)
  case sendsNothing(node: Int)
  case deletesTurns(node: Int)
}

/// The states that follow one.
final class Successors {
  let bounds: ClusterBounds
  let faults: ClusterFaults
  private(set) var states: [(state: ClusterState, step: ClusterStep)] = []
  /// Whether something needs a higher epoch than the model has.
  private(set) var isAtEdge = false

  init(of state: ClusterState, _ bounds: ClusterBounds, _ faults: ClusterFaults) {
    (self.bounds, self.faults) = (bounds, faults)
    for index in 0...1 {
      for session in [Commit.Session.current, .orphaned] { execute(state, index, session) }
    }
    replicate(state)
    for index in 0...1 { advance(state, index) }
  }

  private func add(_ step: ClusterStep, _ state: ClusterState, _ change: (inout ClusterState) -> Void) {
    var state = state
    change(&state)
    states.append((state, step))
  }

  private func lease(_ index: Int) -> UInt8 { bounds.haveOneName ? 0 : UInt8(index) }
}

// MARK: - The database

extension Successors {
  /// Carries out the next statement of a session by one step.
  private func execute(_ state: ClusterState, _ index: Int, _ session: Commit.Session) {
    guard let place = state.nodes[index][session].firstIndex(where: { !$0.isAnswered }) else { return }
    let execution = state.nodes[index][session][place]
    let isOrphaned = session == .orphaned
    func set(_ stage: Execution.Stage, _ state: inout ClusterState) {
      state.nodes[index][session][place].stage = stage
      if isOrphaned { state.nodes[index].orphans.removeAll(where: \.isAnswered) }
    }
    switch execution.stage {
    case .answered: break
    case .committing:
      guard state.left.cancels > 0 else { return }
      add(.doesNotWait(node: index), state) { state in
        state.left.cancels -= 1
        set(.answered(.warned), &state)
        for commit in state.commits.indices
        where state.commits[commit].node == index && state.commits[commit].session == session {
          state.database.apply(state.commits[commit].statement)
          state.commits[commit].session = nil
        }
      }
    case .queued:
      if case .turn(let turn) = execution.statement {
        let begun = state.database.begin(turn, faults)
        add(.begins(node: index, orphaned: isOrphaned), state) { set(begun, &$0) }
      } else {
        finish(execution, state, index, session, set)
      }
    case .begun: finish(execution, state, index, session, set)
    }
  }

  /// Locks the rows of a statement, looks at them, and commits.
  private func finish(
    _ execution: Execution, _ state: ClusterState, _ index: Int, _ session: Commit.Session,
    _ set: (Execution.Stage, inout ClusterState) -> Void
  ) {
    let (statement, isOrphaned) = (execution.statement, session == .orphaned)
    guard !state.commits.contains(where: { $0.session != nil && statement.waits(for: $0.statement, faults) }) else {
      return
    }
    if state.left.refusals > 0, case .turn = statement {
      add(.isRefused(node: index, orphaned: isOrphaned), state) { state in
        state.left.refusals -= 1
        set(.answered(.refused), &state)
      }
    }
    add(.commits(node: index, orphaned: isOrphaned), state) { state in
      if let refusal = state.database.refusal(of: execution, faults) { return set(.answered(refusal), &state) }
      guard state.standby == nil else {
        set(.committing, &state)
        return state.commits.append(Commit(node: index, session: session, statement: statement))
      }
      set(.answered(.done), &state)
      if state.database.repeatsEpoch(statement) { state.violation = .repetition }
      state.database.apply(statement)
    }
  }

  private func replicate(_ state: ClusterState) {
    guard let standby = state.standby else { return }
    if let commit = state.commits.first {
      add(.standbyReceives, state) { state in
        state.commits.removeFirst()
        state.standby?.apply(commit.statement)
        guard let session = commit.session else { return }
        if state.database.repeatsEpoch(commit.statement) { state.violation = .repetition }
        state.database.apply(commit.statement)
        let place = state.nodes[commit.node][session].firstIndex { $0.stage == .committing }
        if let place { state.nodes[commit.node][session][place].stage = .answered(.done) }
        if session == .orphaned { state.nodes[commit.node].orphans.removeAll(where: \.isAnswered) }
      }
    }
    if state.left.failovers > 0 {
      add(.failover, state) { state in
        state.left.failovers -= 1
        state.database = standby
        state.standby = nil
        state.commits = []
        for index in 0...1 {
          state.nodes[index].orphans = []
          state.nodes[index].session.removeAll { !$0.isAnswered }
          state.nodes[index].isCut = true
        }
      }
    }
  }
}

// MARK: - Nodes

extension Successors {
  private func advance(_ state: ClusterState, _ index: Int) {
    let node = state.nodes[index]
    fail(state, index)
    // Nothing is gained by waiting: what is read is read again anyway.
    if node.session.first?.isAnswered == true {
      return add(.takesAnswer(node: index), state) { takeAnswer(&$0, index) }
    }
    if node.isCut {
      if node.session.isEmpty { connect(state, index) }
      return
    }
    if case .unknown(let lease, let from) = node.raise {
      return add(.findsRaise(node: index), state) { state in
        let row = state.database.leases[Int(lease)]
        if row.epoch == from + 1, isOwn(row, node, index) {
          raised(&state, index, lease, from, isAcknowledged: false)
        } else {
          refusedRaise(&state, index, lease)
        }
      }
    }
    if case .sent(let lease, _) = node.raise, !node.isHolding || lease == self.lease(index) { return }
    guard node.isHolding else { return raise(state, index) }
    guard !node.mustSettle else {
      if node.session.isEmpty { settle(state, index) }
      return
    }
    hold(state, index)
  }

  private func isOwn(_ row: Database.Lease, _ node: ClusterNode, _ index: Int) -> Bool {
    faults.contains(.noHolder) || row.holder == node.holder(index)
  }

  private func fail(_ state: ClusterState, _ index: Int) {
    let node = state.nodes[index]
    guard node.orphans.isEmpty else { return }
    func orphan(_ state: inout ClusterState) {
      state.nodes[index].orphans = node.session.filter { !$0.isAnswered }
      for commit in state.commits.indices
      where state.commits[commit].node == index && state.commits[commit].session == .current {
        state.commits[commit].session = .orphaned
      }
    }
    if state.left.crashes > 0 {
      add(.crashes(node: index), state) { state in
        state.left.crashes -= 1
        state.nodes[index] = ClusterNode(starts: node.starts + 1)
        orphan(&state)
      }
    }
    if state.left.cuts > 0, !node.isCut, !node.session.isEmpty {
      add(.isCut(node: index), state) { state in
        state.left.cuts -= 1
        state.nodes[index].session.removeAll { !$0.isAnswered }
        state.nodes[index].isCut = true
        orphan(&state)
      }
    }
  }

  private func takeAnswer(_ state: inout ClusterState, _ index: Int) {
    let execution = state.nodes[index].session.removeFirst()
    guard case .answered(let answer) = execution.stage else { return }
    switch execution.statement {
    case .reserve: state.nodes[index].isReserving = false
    case .raise(let lease, let from, _):
      guard state.nodes[index].raise == .sent(lease: lease, from: from) else { return }
      switch answer {
      case .done: raised(&state, index, lease, from, isAcknowledged: true)
      case .warned: raised(&state, index, lease, from, isAcknowledged: false)
      case .notHeld, .refused: refusedRaise(&state, index, lease)
      }
    case .turn(let turn):
      let node = state.nodes[index]
      guard node.isHolding, turn.epoch == node.epoch,
        let place = node.waiting.firstIndex(where: { $0.number == turn.number && !$0.isWarned })
      else { return }
      switch answer {
      case .done: state.settle(index, through: turn.number)
      case .warned where faults.contains(.warningIsAnswer): state.settle(index, through: turn.number)
      case .warned: state.nodes[index].waiting[place].isWarned = true
      case .notHeld: state.nodes[index].mustSettle = true
      case .refused: void(&state, index)
      }
    }
  }

  /// Its lease has a new epoch, or the other one has.
  ///
  /// - Parameter isAcknowledged: Whether that was answered without a warning; otherwise another failover may take it back.
  private func raised(_ state: inout ClusterState, _ index: Int, _ lease: UInt8, _ from: UInt8, isAcknowledged: Bool) {
    state.nodes[index].raise = .none
    let isUsable = isAcknowledged || faults.contains(.raiseReadBack)
    guard lease == self.lease(index) else {
      if isUsable { state.nodes[index].taken = from + 1 }
      return
    }
    if state.nodes[index].isHolding {
      // After a cut: what is in memory goes on in the new epoch, now that no turn of the former one can come.
      guard isUsable else { return state.nodes[index].lose() }
      state.settle(index, through: state.database.leases[Int(lease)].lastTurns[Int(from)])
      state.nodes[index].sendAgain(in: from + 1, lease: lease, index: index)
    } else if isUsable {
      state.nodes[index].isHolding = true
      (state.nodes[index].epoch, state.nodes[index].lastNumber) = (from + 1, 0)
    }
  }

  private func refusedRaise(_ state: inout ClusterState, _ index: Int, _ lease: UInt8) {
    state.nodes[index].raise = .none
    if lease == self.lease(index), state.nodes[index].isHolding { state.nodes[index].lose() }
  }

  /// Gives up turns that are not there.
  private func void(_ state: inout ClusterState, _ index: Int) {
    state.nodes[index].forget()
    state.nodes[index].taken = 0
    if faults.contains(.voidWithoutRaise) {
      let lease = state.database.leases[Int(self.lease(index))]
      state.nodes[index].lastNumber = lease.lastTurns[Int(state.nodes[index].epoch)]
    } else {
      state.nodes[index].isHolding = false
    }
  }

  private func connect(_ state: ClusterState, _ index: Int) {
    var next = state
    next.nodes[index].isCut = false
    if !faults.contains(.waitsForLostAnswer) { next.nodes[index].isReserving = false }
    if case .sent(let lease, let from) = state.nodes[index].raise {
      next.nodes[index].raise = .unknown(lease: lease, from: from)
    }
    // What was warned of is known to be committed.
    if state.nodes[index].waiting.contains(where: { !$0.isWarned }) { next.nodes[index].mustSettle = true }
    if state.nodes[index].isHolding, next.nodes[index].mustSettle, next.nodes[index].raise == .none {
      next.nodes[index].mustSettle = false
      let (lease, from) = (self.lease(index), state.nodes[index].epoch)
      return sendRaise(of: lease, from: from, next, index, .connects(node: index))
    }
    states.append((next, .connects(node: index)))
  }

  private func sendRaise(
    of lease: UInt8, from: UInt8, _ state: ClusterState, _ index: Int, _ step: ClusterStep
  ) {
    guard from + 1 < Database.epochsMax else {
      isAtEdge = true
      return
    }
    add(step, state) { state in
      let holder = state.nodes[index].holder(index)
      state.nodes[index].raise = .sent(lease: lease, from: from)
      state.nodes[index].session.append(Execution(statement: .raise(lease: lease, from: from, holder: holder)))
    }
  }

  private func raise(_ state: ClusterState, _ index: Int) {
    let lease = lease(index)
    sendRaise(of: lease, from: state.database.leases[Int(lease)].epoch, state, index, .raises(node: index))
  }

  /// A turn was not there although its lease was: a table, or another lease, was lost.
  private func settle(_ state: ClusterState, _ index: Int) {
    let (row, node) = (state.database.leases[Int(lease(index))], state.nodes[index])
    if row.epoch == node.epoch, isOwn(row, node, index) {
      add(.givesUp(node: index), state) { void(&$0, index) }
    } else {
      add(.losesLease(node: index), state) { $0.nodes[index].lose() }
    }
  }

  /// What a node does that holds its lease.
  private func hold(_ state: ClusterState, _ index: Int) {
    let (node, lease) = (state.nodes[index], lease(index))
    let row = state.database.leases[Int(lease)]
    if node.waiting.isEmpty, node.session.isEmpty, row.epoch != node.epoch || !isOwn(row, node, index) {
      add(.losesLease(node: index), state) { $0.nodes[index].lose() }
    }
    if state.left.purges > 0, node.waiting.isEmpty, node.lastNumber > 1, state.standby == nil {
      add(.deletesTurns(node: index), state) { state in
        state.left.purges -= 1
        state.database.leases[Int(lease)].isPurged = true
      }
    }
    let hasRoom = node.waiting.count < bounds.depth && node.raise == .none
    if hasRoom, node.standing == .notLoaded, !node.isReserving, node.waiting.isEmpty { find(state, index) }
    if hasRoom, node.standing != .notLoaded {
      let place = node.contents.count
      for operation in 1...bounds.operations where place < Contents.countMax && !node.contents.contains(operation) {
        add(.judges(node: index, operation: operation), state) { state in
          state.nodes[index].contents.entries[place] = operation
          state.nodes[index].send(.operation(operation, at: UInt8(place)), lease: lease, index: index)
          guard faults.contains(.publishedWhenJudged) else { return }
          let sent = state.nodes[index]
          state.publish(sent.contents, place + 1, under: sent.tableEpoch)
        }
      }
      if node.standing == .served, state.left.drains > 0, !bounds.haveOneName {
        add(.drains(node: index), state) { state in
          state.left.drains -= 1
          state.nodes[index].send(.drain(to: 1 - lease), lease: lease, index: index)
          state.nodes[index].remembered = node.contents
          state.nodes[index].standing = .notLoaded
        }
      }
    }
    if !node.waiting.isEmpty, node.waiting.count < 5, node.waiting.allSatisfy(\.isWarned) {
      add(.sendsNothing(node: index), state) { $0.nodes[index].send(.nothing, lease: lease, index: index) }
    }
  }

  /// Looks for the table, which someone has asked for.
  private func find(_ state: ClusterState, _ index: Int) {
    let (node, lease) = (state.nodes[index], lease(index))
    guard let owner = state.database.owner else {
      return add(.reserves(node: index), state) { state in
        state.nodes[index].session.append(
          Execution(statement: .reserve(lease: lease, epoch: node.epoch, holder: node.holder(index))))
        state.nodes[index].isReserving = true
      }
    }
    if owner == lease { return load(state, index, from: nil, .loads(node: index)) }
    let row = state.database.leases[Int(owner)]
    guard node.taken > 0 else {
      guard state.left.suspicions > 0 || row.epoch + 1 >= Database.epochsMax else { return }
      var next = state
      next.left.suspicions -= min(1, next.left.suspicions)
      return sendRaise(of: owner, from: row.epoch, next, index, .suspects(node: index))
    }
    load(state, index, from: owner, .takes(node: index))
    if row.epoch != node.taken || !isOwn(row, node, index) {
      add(.dropsRaise(node: index), state) { $0.nodes[index].taken = 0 }
    }
  }

  /// Reads the table, and sends the turn of its next epoch.
  private func load(_ state: ClusterState, _ index: Int, from owner: UInt8?, _ step: ClusterStep) {
    let (node, database) = (state.nodes[index], state.database)
    guard database.tableEpoch + 1 < Database.epochsMax else {
      isAtEdge = true
      return
    }
    let isFirst = bounds.isNew && database.tableEpoch == 0
    add(step, state) { state in
      let first: UInt8 = isFirst ? 10 + UInt8(index) + 2 * node.starts : 0
      var contents = database.log
      if isFirst { contents.entries[0] = first }
      if owner != nil, faults.contains(.readBeforeRaise) { contents = node.remembered }
      state.nodes[index].contents = contents
      state.nodes[index].tableEpoch = database.tableEpoch + 1
      state.nodes[index].standing = .loading
      if owner != nil { state.nodes[index].taken = 0 }
      state.nodes[index].send(
        .load(epoch: database.tableEpoch + 1, first: first, from: owner), lease: lease(index), index: index,
        otherEpoch: owner == nil ? 0 : node.taken)
      if faults.contains(.shownWhenLoaded) { state.publish(contents, contents.count, under: database.tableEpoch + 1) }
    }
  }
}
