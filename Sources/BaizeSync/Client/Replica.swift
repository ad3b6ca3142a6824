public import BaizeTable
public import BaizeWire

/// A client's copy of a table: the confirmed state, the pending operations, and the visible state that they give.
///
/// An operation shows at once. When a diff comes, the pending operations are taken back (by inverse changes; the state is
/// not copied), the diff is applied, and they are judged again on top of it, by the code and with the window that the
/// daemon judges them with: what is visible is what the daemon will make of them if nothing else comes between.
public struct Replica: Sendable {
  /// The visible table.
  public private(set) var table: Table
  public let epoch: Epoch
  /// Who this replica's operations are by.
  public private(set) var author: Author
  /// The last revision that was applied: the base of what is submitted next.
  public private(set) var confirmedRevision: Revision
  /// What was submitted and has no answer yet, oldest first.
  public private(set) var pending: [PendingOperation] = []
  private var nextSequence: SequenceNumber
  /// What the answers so far have taught, as the daemon remembers it.
  private var memory = AuthorMemory()
  /// The same, with the pending operations behind it.
  private var predictedMemory = AuthorMemory()
  /// Whether what changes is worked out for a user interface; a replica that no one looks at saves the trouble.
  public var reportsChanges = true

  /// - Parameters:
  ///   - state: As the snapshot had it.
  ///   - lastSequence: The last operation of this session that stands in `state`.
  public init(state: TableState, epoch: Epoch, author: Author, lastSequence: SequenceNumber) {
    table = Table(replicaOf: state)
    self.epoch = epoch
    self.author = author
    confirmedRevision = state.revision
    nextSequence = lastSequence.next
  }

  /// The number of the operation that was submitted last; zero where there is none.
  public var lastSequence: SequenceNumber { SequenceNumber(rawValue: nextSequence.rawValue - 1) }

  /// The visible state.
  public var state: TableState { table.state }

  // MARK: Submitting

  /// What became of an operation here, before the daemon has seen it.
  public struct Submission: Sendable {
    /// What is to be sent; `nil` where the rules refuse it already.
    public let operation: TableOperation?
    public let prediction: Prediction
    public let changes: [TableChange]
    /// How many sessions its author had lost by then: numbers are those of a session.
    var sessionsBefore = 0
  }

  /// Applies an operation at once and numbers it for sending.
  ///
  /// - Parameter sendsRefused: Whether an operation that the rules refuse here is to be sent all the same, for the daemon
  ///   to refuse. Otherwise it costs nothing: it was never submitted.
  public mutating func submit(_ kind: TableOperation.Kind, sendsRefused: Bool = false) -> Submission {
    let operation = TableOperation(
      sequence: nextSequence, base: confirmedRevision, epoch: epoch, unanswered: UInt32(pending.count),
      kind: completed(kind))
    let before = reportsChanges ? table.state : nil
    let steps = table.predictedSteps
    let memoryBefore = predictedMemory
    let own = foresee(operation)
    if case .refused = own.prediction, !sendsRefused {
      predictedMemory = memoryBefore
      return Submission(operation: nil, prediction: own.prediction, changes: [])
    }
    pending.append(own)
    nextSequence = nextSequence.next
    let changes = before.map {
      TableChange.between($0, table.state, touched: table.touchedItems(from: steps), names: [:])
    }
    return Submission(operation: operation, prediction: own.prediction, changes: changes ?? [])
  }

  /// Judges an operation on the visible state and shows what it does.
  private mutating func foresee(_ operation: TableOperation) -> PendingOperation {
    table.beginPrediction()
    let steps = table.predictedSteps
    let judgement = table.judge(operation, by: author, memory: &predictedMemory)
    var own = PendingOperation(operation: operation, prediction: prediction(judgement))
    own.steps = table.predictedSteps - steps
    if case .accepted(let diff) = judgement { own.foreseen = diff }
    return own
  }

  private func prediction(_ judgement: Judgement) -> Prediction {
    switch judgement {
    case .accepted(let diff): return .shown(diff.operation, isRebased: diff.isRebased, isRedirected: diff.isRedirected)
    case .unchanged: return .unchanged
    case .refused(let refusal):
      // What hangs on a face that has yet to come, or on chance, only the daemon can tell.
      let isOpen = refusal.reason == .unpredictable || (refusal.reason == .faceHidden && !pending.isEmpty)
      return isOpen ? .unknown : .refused(refusal)
    case .retry: return .unknown
    }
  }

  /// Adds what only the author can know: `then` for destinations, and what an action contends for.
  private func completed(_ kind: TableOperation.Kind) -> TableOperation.Kind {
    switch kind {
    case .reorder(var difference, let suggested):
      difference.destination = completed(difference.destination, excluding: difference.sources)
      return .reorder(difference, suggested: suggested)
    case .insert(let items, let destination): return .insert(items, completed(destination, excluding: []))
    case .perform(let action, let items, let destination) where items.isEmpty:
      return .perform(action: action, items: table.contendedItems(of: action, by: author.seat), destination)
    case .remove, .update, .perform, .undo, .unknown: return kind
    }
  }

  private func completed(_ destination: Destination, excluding sources: ItemList) -> Destination {
    var destination = destination
    // Before no item is the end: so the wire says it, and so it is judged here.
    destination.position = Position(anchor: destination.position.anchor)
    guard case .before(let anchor) = destination.position, destination.then == .none, !pending.isEmpty else {
      return destination
    }
    let moved = table.predictedItems
    var candidate = table.state.contains(anchor) ? anchor : nil
    while let item = candidate, sources.contains(item) || moved.contains(item) {
      candidate = table.state.item(after: item)
    }
    destination.then = candidate ?? .none
    return destination
  }

  /// Keeps the operation submitted last from being sent: one before it waits to be sent again, and all go in order.
  mutating func postponeLast() {
    guard let last = pending.indices.last else { return }
    pending[last].retry = pending.first { $0.retry != nil }?.retry
  }

  // MARK: What the daemon says

  /// Applies a diff under the pending operations.
  ///
  /// - Returns: What changed for someone who looks, and the answer to one of the author's own operations, if it was one.
  /// - Throws: A ``DiffMismatch`` where the diff does not fit: the replica needs a snapshot.
  public mutating func receive(_ diff: Diff) throws(DiffMismatch) -> Update {
    if let own = pending.first, own.foreseen == diff, !own.isInState { return confirm(own, diff) }
    let before = reportsChanges ? table.state : nil
    var touched = reportsChanges ? table.touchedItems.union(diff.items) : []
    takeBack()
    try table.apply(diff)
    confirmedRevision = diff.revision
    var update = Update()
    var names: [ItemID: ItemID] = [:]
    if diff.author == author.session, let place = place(of: diff.sequence) {
      let own = pending.remove(at: place)
      memory.confirm(own.operation, diff)
      update.answers.append(Answered(operation: own.operation, answer: .accepted(diff)))
      names = own.names(of: diff.minted)
    }
    for case .seats(let seats) in diff.changes { followSeat(seats) }
    replay()
    touched.formUnion(reportsChanges ? table.touchedItems : [])
    if let before { update.changes = self.changes(since: before, touched: touched, names: names) }
    return update
  }

  /// What was foreseen has come, to the letter: it stands already, with all that was foreseen on top of it.
  private mutating func confirm(_ own: PendingOperation, _ diff: Diff) -> Update {
    table.confirmPrediction(steps: own.steps, at: diff.revision)
    confirmedRevision = diff.revision
    memory.confirm(own.operation, diff)
    pending.removeFirst()
    return Update(answers: [Answered(operation: own.operation, answer: .accepted(diff))])
  }

  /// Takes the answer out of a diff that is not applied, because a snapshot with its effect is on the way.
  public mutating func settle(_ diff: Diff) -> Update {
    guard diff.author == author.session, let place = place(of: diff.sequence) else { return Update() }
    let own = pending.remove(at: place)
    memory.confirm(own.operation, diff)
    return Update(answers: [Answered(operation: own.operation, answer: .accepted(diff))])
  }

  /// Takes in the answer to an operation that made no diff.
  public mutating func receive(_ outcome: Outcome) -> Update {
    guard let place = place(of: outcome.sequence) else { return Update() }
    guard outcome.verdict != .retry else {
      pending[place].retry = outcome.refusal
      return Update()
    }
    let before = reportsChanges ? table.state : nil
    var touched = reportsChanges ? table.touchedItems : []
    takeBack()
    let own = pending.remove(at: place)
    var update = Update()
    var names: [ItemID: ItemID] = [:]
    // What was judged under another epoch stood in the snapshot of this one, on which the others were said anew: only what
    // it made is news to them.
    let isOfNow = own.operation.epoch == epoch
    switch outcome.verdict {
    case .refused:
      if isOfNow { table.learnRefusal(of: own.operation, at: outcome.revision, memory: &memory) }
      update.answers.append(Answered(operation: own.operation, answer: .refused(outcome.refusal)))
    case .unchanged:
      if isOfNow { learnUnchanged(own, at: outcome.revision) }
      let answer = outcome.invite.isEmpty ? Answer.unchanged : .invited(outcome.invite)
      update.answers.append(Answered(operation: own.operation, answer: answer))
    case .duplicate, .retry:
      if isOfNow {
        memory.confirmAccepted(
          own.operation, minted: outcome.minted, isRedirected: outcome.isRedirected, at: outcome.revision)
      } else {
        memory.restore(outcome.minted, of: own.operation.sequence)
      }
      names = own.names(of: outcome.minted)
      update.answers.append(Answered(operation: own.operation, answer: .acceptedBefore(outcome.revision)))
    }
    replay()
    touched.formUnion(reportsChanges ? table.touchedItems : [])
    if let before { update.changes = self.changes(since: before, touched: touched, names: names) }
    return update
  }

  /// Learns that an operation made no difference. The outcome does not tell whether the rules chose its destination; to
  /// judge it again, on the state that the daemon judged it on, does.
  private mutating func learnUnchanged(_ own: PendingOperation, at revision: Revision) {
    var learnt = memory
    table.beginPrediction()
    if confirmedRevision == revision, !own.isInState,
      case .unchanged = table.judge(own.operation, by: author, memory: &learnt)
    {
      memory = learnt
    } else {
      memory.confirmUnchanged(own.operation, at: revision)
    }
    takeBack()
  }

  /// Whether the hash that the daemon gave for the present revision is this replica's.
  ///
  /// - Returns: `nil` where the pong is of another revision, which says nothing.
  public mutating func agrees(with pong: Pong) -> Bool? {
    guard pong.epoch == epoch, pong.revision == confirmedRevision, pong.viewHash != 0 else { return nil }
    return confirmedHash() == pong.viewHash
  }

  /// The hash of the confirmed state.
  public mutating func confirmedHash() -> UInt64 {
    takeBack()
    let hash = table.viewHash()
    replay()
    return hash
  }

  // MARK: Sending again

  /// Whether everything pending was answered "not now", so that it may be sent again; the refusal says why.
  public var retryReason: Refusal? {
    guard let first = pending.first?.retry, pending.allSatisfy({ $0.retry != nil || $0.isInState }) else { return nil }
    return first
  }

  /// The pending operations as they were made, to be sent again in order to a daemon that may not have got them.
  public mutating func resend() -> [TableOperation] {
    for place in pending.indices { pending[place].retry = nil }
    return pending.map(\.operation)
  }

  /// The pending operations in the words of the present state, on a fresh base, to be sent again in order; and what that
  /// changed for someone who looks.
  public mutating func reexpress() -> (operations: [TableOperation], changes: [TableChange]) {
    let before = reportsChanges ? table.state : nil
    let touched = reportsChanges ? table.touchedItems : []
    takeBack()
    predictedMemory = memory
    for place in pending.indices where !pending[place].isInState {
      var old = pending[place].operation
      old.kind = old.kind.named(by: memory)
      let operation = TableOperation(
        sequence: old.sequence, base: confirmedRevision, epoch: epoch, unanswered: UInt32(place),
        kind: completed(table.reexpressed(old, by: author, memory: predictedMemory)))
      pending[place] = foresee(operation)
    }
    let changes = before.map { self.changes(since: $0, touched: touched, names: [:]) } ?? []
    return (pending.filter { !$0.isInState }.map(\.operation), changes)
  }

  /// Takes over what another replica of the same session had pending, after a snapshot has come.
  ///
  /// Operations up to the snapshot's last are in the state already and only wait for their answers. In the same epoch the
  /// others keep their numbers and bases; in another they are said anew and numbered behind that.
  public mutating func adopt(_ older: [PendingOperation], of olderEpoch: Epoch, memory: AuthorMemory) {
    precondition(pending.isEmpty, "\(pending.count) operations are pending already")
    let last = nextSequence.rawValue - 1
    if olderEpoch == epoch {
      self.memory = memory
      pending = older.map { own in
        var own = own
        own.isInState = own.operation.sequence.rawValue <= last
        return own
      }
      nextSequence = max(nextSequence, pending.last?.operation.sequence.next ?? nextSequence)
      replay()
    } else {
      var numbers: [SequenceNumber: SequenceNumber] = [:]
      for var own in older {
        own.retry = nil
        own.isInState = own.operation.sequence.rawValue <= last
        if !own.isInState {
          numbers[own.operation.sequence] = nextSequence
          own.operation.sequence = nextSequence
          own.operation.kind = own.operation.kind.named(by: memory).renumbered(numbers)
          nextSequence = nextSequence.next
        }
        pending.append(own)
      }
      _ = reexpress()
    }
  }

  /// What the answers so far have taught: for ``adopt(_:of:memory:)``.
  public var answerMemory: AuthorMemory { memory }

  // MARK: Pending

  private func place(of sequence: SequenceNumber) -> Int? {
    pending.firstIndex { $0.operation.sequence == sequence }
  }

  private mutating func takeBack() { table.takeBackPrediction(to: confirmedRevision) }

  private mutating func replay() {
    predictedMemory = memory
    for place in pending.indices where !pending[place].isInState {
      let own = foresee(pending[place].operation)
      pending[place].prediction = own.prediction
      pending[place].foreseen = own.foreseen
      pending[place].steps = own.steps
    }
  }

  private mutating func followSeat(_ seats: [Seat]) {
    author.seat = seats.first { $0.session == author.session }?.number ?? .spectator
  }

  /// What changed between `before` and the visible state, as far as `touched` items go.
  private func changes(since before: TableState, touched: Set<ItemID>, names: [ItemID: ItemID]) -> [TableChange] {
    TableChange.between(before, table.state, touched: touched.union(table.touchedItems), names: names)
  }
}

/// An operation without an answer.
public struct PendingOperation: Sendable {
  public var operation: TableOperation
  public var prediction: Prediction
  /// The daemon did not judge it and wants it again.
  public var retry: Refusal?
  /// The snapshot holds what became of it; only the answer has yet to come.
  public var isInState = false
  /// The diff that it would make if nothing came between, and how many steps of the prediction are its.
  var foreseen: Diff?
  var steps = 0

  init(operation: TableOperation, prediction: Prediction) {
    self.operation = operation
    self.prediction = prediction
  }
}

extension PendingOperation {
  /// The ids of what it made, by the names that they had until then.
  fileprivate func names(of minted: [ItemID]) -> [ItemID: ItemID] {
    var names: [ItemID: ItemID] = [:]
    for (number, item) in minted.enumerated() where item != .none {
      names[.provisional(operation: operation.sequence, number: number)] = item
    }
    return names
  }
}

/// What a replica makes of an operation before the daemon has answered.
public enum Prediction: Hashable, Sendable {
  case shown(DropOperation, isRebased: Bool, isRedirected: Bool)
  case unchanged
  /// Only the daemon can tell; nothing is shown.
  case unknown
  case refused(Refusal)
}

/// What an event did to a replica.
public struct Update: Sendable {
  public var changes: [TableChange] = []
  public var answers: [Answered] = []

  init(changes: [TableChange] = [], answers: [Answered] = []) {
    self.changes = changes
    self.answers = answers
  }
}

/// An operation and the daemon's answer.
public struct Answered: Sendable {
  public let operation: TableOperation
  public let answer: Answer
}

/// The daemon's answer to an operation.
public enum Answer: Hashable, Sendable {
  case accepted(Diff)
  /// It was accepted, and its effect came in a snapshot.
  case acceptedBefore(Revision)
  case unchanged
  /// What the host asked for: an invite, which is a secret.
  case invited(String)
  case refused(Refusal)
  /// The session is gone: whether it had its effect is not known, and it is never sent again.
  case unknown
}

extension Diff {
  /// The items that the diff names.
  public var items: Set<ItemID> {
    var items: Set<ItemID> = []
    for change in changes {
      switch change {
      case .moved(let moved, _), .removed(let moved): items.formUnion(moved)
      case .inserted(let inserted, _), .faced(let inserted): items.formUnion(inserted.map(\.id))
      case .status, .enabled, .counted, .variables, .seats: break
      }
    }
    return items
  }
}
