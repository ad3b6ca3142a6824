/// A table and the effect of operations on it: rules, judging, rebase, diffs.
///
/// The same type is the authority in the daemon and a replica in a client: a replica judges its own pending operations
/// with the code with which the daemon will judge them. Everything is a pure function of the state and the input;
/// randomness comes from the table's ``RandomSource``.
public struct Table: Sendable {
  /// The present contents.
  public internal(set) var state: TableState
  var history: History
  var undos: UndoWindow
  var random: RandomSource
  /// The source of the ids of items in private collections. Only an authority whose type has such collections uses it.
  package internal(set) var privateIDs = PrivateIDs(key: (0, 0))
  /// The key of ``ItemFilter``, which no client knows.
  let filterKey: UInt64
  let role: Role
  /// The number of steps of some 20 nanoseconds that judging has taken to search the history. Only the caller resets it.
  package var searchSteps = 0
  /// The maximum number of items on the table. An authority is configured; a replica keeps the default.
  public var itemsMax = TableLimits.itemsPerTableMax
  /// The limits of what the table remembers of its last diffs.
  public var historyLimits: HistoryLimits {
    get { undos.limits }
    set {
      history.limit(takeOuts: newValue.takeOutsMax)
      undos.limits = newValue
    }
  }
  /// The maximum ``TableState/contentBytes`` of the table. A replica keeps the default: no limit.
  public var contentBytesMax = Int.max
  /// The maximum number of items that one operation may name or make. A replica keeps the default.
  public var itemsPerOperationMax = TableLimits.itemsPerOperationMax

  /// The role of a table: whether its judgement is final.
  public enum Role: Hashable, Sendable {
    /// The daemon's table: it assigns the ids of new items.
    case authority
    /// A client's table: new items have provisional ids, and what it cannot know is not predicted.
    case replica
  }

  /// Creates a new table of `type`, set up and dealt.
  ///
  /// - Complexity: O(number of items).
  public init(type: TableType, random: RandomSource) {
    state = TableState(type: type)
    history = History(at: .zero, isUniform: type.hasSecrets)
    undos = UndoWindow(of: type, isUniform: type.hasSecrets)
    self.random = random
    filterKey = random.peeked
    role = .authority
    state.indexKeys(seed: filterKey)
    setUp()
  }

  /// Creates a replica at `state`.
  ///
  /// - Parameters:
  ///   - state: The present contents, as the viewer may see them.
  ///   - keySeed: A number that other clients do not know, so that they cannot choose keys that are slow to find.
  public init(replicaOf state: TableState, keySeed: UInt64 = 0) {
    self.state = state
    history = History(
      at: state.revision, firstNumber: state.nextTakeOut, revisionsMax: 2 * TableLimits.historyRevisionsMax)
    undos = UndoWindow(of: state.type, isUniform: false)
    random = RandomSource(seed: 0)
    filterKey = 0
    role = .replica
    self.state.indexKeys(seed: keySeed)
  }

  /// Creates an authority at `state`, without any history, to try out what it would do. It gives other ids in private
  /// collections than the table that the state is of.
  public init(restoring state: TableState, random: RandomSource) {
    var random = random
    self.init(restoring: state, privateIDs: PrivateIDs(key: (random.next(), random.next())), random: random)
  }

  /// Creates the authority that continues a table at `state`, without any history.
  package init(restoring state: TableState, privateIDs: PrivateIDs, random: RandomSource) {
    self.state = state
    self.privateIDs = privateIDs
    history = History(at: state.revision, firstNumber: state.nextTakeOut, isUniform: state.type.hasSecrets)
    undos = UndoWindow(of: state.type, isUniform: state.type.hasSecrets)
    self.random = random
    filterKey = random.peeked
    role = .authority
    self.state.indexKeys(seed: filterKey)
  }

  /// The oldest base that an operation may have.
  @inline(__always) public var oldestBase: Revision { history.oldestBase(at: state.revision, for: role) }

  /// Returns the hash of a view (see ``TableState/viewHash(for:)``).
  public mutating func viewHash(for viewer: SeatNumber? = nil) -> UInt64 { state.viewHash(for: viewer) }

  /// Sets the taken seats and returns the diff: the daemon's own, or the answer to an operation of the host's.
  public mutating func seat(
    _ seats: [Seat], author: SessionID = .daemon, sequence: SequenceNumber = .zero
  ) -> Diff {
    state.setSeats(seats)
    state.revision = state.revision.next
    trimHistory()
    return Diff(
      revision: state.revision, author: author, sequence: sequence, changes: [.seats(state.seats)])
  }

  // MARK: Memory

  /// The approximate memory of the table and its history, in bytes.
  ///
  /// - Complexity: O(1).
  package var memoryBytes: Int {
    state.memoryBytes + historyBytes
  }

  /// The memory of the history and of what undo needs, in bytes.
  package var historyBytes: Int { history.memoryBytes + undos.memoryBytes }

  /// Forgets most of the history before its time, while memory is short.
  package mutating func forgetHistory() {
    history.forgetMost(at: state.revision)
    undos.trim(to: history.oldestBase, at: state.revision)
    shrink()
  }

  /// Returns memory that was needed for a longer history, or for more items.
  package mutating func shrink() {
    history.shrink()
    undos.shrink()
  }

  /// Forgets what is older than the table's window: after every 64th revision, and at once where there are too many records or any
  /// notes, so that most operations pay nothing for it; and always where nobody may notice whether there are any.
  @inline(__always) mutating func trimHistory() {
    if state.revision.rawValue % 64 == 0 || history.isFull || undos.hasNotes || history.isUniform { forgetOld() }
  }

  @inline(never) private mutating func forgetOld() {
    history.trim(at: state.revision)
    undos.trim(to: history.oldestBase, at: state.revision)
  }
}

/// The participant who submits an operation.
public struct Author: Hashable, Sendable, BitwiseCopyable {
  /// The participant's session.
  public var session: SessionID
  /// The session's seat; ``SeatNumber/spectator`` for a spectator.
  public var seat: SeatNumber

  /// Creates an author.
  public init(session: SessionID, seat: SeatNumber) {
    self.session = session
    self.seat = seat
  }
}

extension Table {
  /// Judges an operation, in the order given in `Protocol/judging.md`, and applies it if it is accepted.
  ///
  /// The session layer has already checked that the operation was not judged before, that its epoch is the table's, and
  /// that its author is within the rate limit.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - author: The participant who submits it.
  ///   - memory: The memory of the author's earlier operations, which learns of this one.
  ///   - claims: The claims on dragged items, if the table type enforces them; `nil` for none.
  /// - Complexity: O(k log n) for k items named, and O(t) for the t times that others moved an anchor since the base.
  public mutating func judge(
    _ operation: TableOperation, by author: Author, memory: inout AuthorMemory, claims: [ItemID: Claim]? = nil
  ) -> Judgement {
    if role == .authority, operation.base > state.revision || operation.base < oldestBase {
      return .retry(Refusal(.staleBase, detail: "the table keeps revisions from \(oldestBase.rawValue) on"))
    }
    if let refusal = refusalOfOrigin(operation, author) {
      memory.advance(to: operation.sequence, unanswered: operation.unanswered)
      note(.refused(refusal), of: operation, &memory)
      return .refused(refusal)
    }
    if let move = SingleMove(operation), let diff = accept(move, by: author, memory: &memory) {
      return .accepted(Diff(diff))
    }
    memory.advance(to: operation.sequence, unanswered: operation.unanswered)
    let judgement: Judgement
    do throws(Refusal) {
      judgement = try judgeByRules(operation, by: author, memory: &memory, claims: claims)
    } catch {
      if error.reason == .notPlaced { return .retry(error) }
      judgement = .refused(error)
    }
    note(judgement, of: operation, &memory)
    return judgement
  }

  /// Returns the refusal of an operation whose author has lost the seat or the state in which it was made, where that matters.
  @inline(__always) private func refusalOfOrigin(_ operation: TableOperation, _ author: Author) -> Refusal? {
    guard operation.madeAs != nil || operation.isBaseLost else { return nil }
    return refusalOfLoss(operation, author)
  }

  @inline(never) private func refusalOfLoss(_ operation: TableOperation, _ author: Author) -> Refusal? {
    // The host's right is a person's.
    if case .perform(let action, _, _) = operation.kind, Self.isForHost(action) { return nil }
    if let seat = operation.madeAs, seat != author.seat, state.type.dependsOnSeats {
      return Refusal(.seatLost, detail: "it was made in seat \(seat.rawValue), which its author has no longer")
    }
    guard operation.isBaseLost, mayOverwrite(operation.kind), !Mutation.late.isActive else { return nil }
    return Refusal(
      .baseForgotten,
      detail: "others may have changed what it is about since it was made, and the first one counts here")
  }

  /// Returns whether an old operation could take what others had first, or act in a turn that is over. An undo is compared with all
  /// that came after what it undoes.
  private func mayOverwrite(_ kind: TableOperation.Kind) -> Bool {
    switch kind {
    case .undo: false
    case .insert: state.type.turns != .free
    case .reorder, .remove, .update, .perform, .unknown, .invalid:
      state.type.contention == .first || state.type.turns != .free
    }
  }

  /// Records what became of an operation.
  func note(_ judgement: Judgement, of operation: TableOperation, _ memory: inout AuthorMemory) {
    switch judgement {
    case .accepted(let diff): memory.note(operation, .accepted, at: diff.revision, for: role)
    case .unchanged: memory.note(operation, .unchanged, at: state.revision, for: role)
    case .refused: memory.note(operation, .refused, at: state.revision, for: role)
    case .retry: break
    }
  }

  /// Plans an operation, and applies the plan. For every operation, plain moves included.
  mutating func judgeByRules(
    _ operation: TableOperation, by author: Author, memory: inout AuthorMemory, claims: [ItemID: Claim]?
  ) throws(Refusal) -> Judgement {
    defer { searchSteps += history.steps.take() }
    let plan = try plan(operation, by: author, memory: memory, claims: claims)
    guard let diff = apply(plan) else { return .unchanged }
    memory.make(diff.minted, by: operation.sequence)
    return .accepted(role == .replica && state.type.hasSecrets ? diff.view(for: author.seat) : diff)
  }

  /// Returns whether a refused operation would have been a copy or made aliases, which does not move its sources.
  func copies(_ operation: TableOperation, _ memory: AuthorMemory) -> Bool {
    guard case .reorder(let difference, let suggested) = operation.kind else { return false }
    if !suggested.isEmpty, suggested.isDisjoint(with: [.move, .delete]) { return true }
    var destination = difference.destination
    if destination.container.isProvisional, state.index.slot(of: destination.container) < 0 {
      destination.container = memory.resolve(destination.container) ?? .none
    }
    let collection = state.index(of: destination)
    guard state.type.allowsCopies || state.type.offersAliases, collection >= 0 else { return false }
    let slots = difference.sources.prefix(TableLimits.itemsPerOperationMax).map { item in
      state.index.slot(of: item.isProvisional ? memory.resolve(item) ?? item : item)
    }
    let known = SlotList(slots.filter { $0 >= 0 })
    return !known.isEmpty
      && state.operation(of: known, on: collection, suggested: suggested)?.keepsSources ?? false
  }
}
