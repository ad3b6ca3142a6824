/// A table and what an operation does to it: rules, judging, rebase, diffs.
///
/// The same type is the authority in the daemon and the stand-in for it in a replica: a replica judges its own pending
/// operations with the code that the daemon will judge them with. Everything is a pure function of the state and the
/// input; chance comes from the ``RandomSource`` that the table was given.
public struct Table: Sendable {
  public internal(set) var state: TableState
  var history: History
  var undos: UndoWindow
  var random: RandomSource
  let role: Role
  /// Items on the table, what they take as ``TableState/contentBytes`` has it, and items in one operation, at most: what
  /// this authority was told. A replica leaves that to it.
  public var itemsMax = TableLimits.itemsPerTableMax
  public var contentBytesMax = Int.max
  public var itemsPerOperationMax = TableLimits.itemsPerOperationMax

  /// Whose word counts.
  public enum Role: Hashable, Sendable {
    /// The daemon's: it names what is made.
    case authority
    /// A client's: what is made has provisional names, and what cannot be known is not predicted.
    case replica
  }

  /// A table of `type`, set up and dealt.
  ///
  /// - Complexity: O(number of items).
  public init(type: TableType, random: RandomSource) {
    state = TableState(type: type)
    history = History(at: .zero)
    undos = UndoWindow(isKept: type.allowsUndo)
    self.random = random
    role = .authority
    setUp()
  }

  /// A replica that stands at `state`.
  public init(replicaOf state: TableState) {
    self.state = state
    history = History(at: state.revision, revisionsMax: 2 * TableLimits.historyRevisionsMax)
    undos = UndoWindow(isKept: state.type.allowsUndo)
    random = RandomSource(seed: 0)
    role = .replica
  }

  /// The authority of a table that stands at `state`, with nothing known of how it came there.
  public init(restoring state: TableState, random: RandomSource) {
    self.state = state
    history = History(at: state.revision)
    undos = UndoWindow(isKept: state.type.allowsUndo)
    self.random = random
    role = .authority
  }

  /// The oldest base that an operation may have.
  public var oldestBase: Revision { history.oldestBase }

  /// The hash of a view (see ``TableState/viewHash(for:)``).
  public mutating func viewHash(for viewer: SeatNumber? = nil) -> UInt64 { state.viewHash(for: viewer) }

  /// Seats who `seats` says, as one diff: the daemon's own, or one that answers an operation of the host's.
  public mutating func seat(
    _ seats: [Seat], author: SessionID = .daemon, sequence: SequenceNumber = .zero
  ) -> Diff {
    state.setSeats(seats)
    state.revision = state.revision.next
    trimHistory()
    return Diff(
      revision: state.revision, author: author, sequence: sequence, changes: [.seats(state.seats)])
  }

  /// Forgets what is older than the table's window.
  mutating func trimHistory() {
    history.trim(at: state.revision)
    undos.trim(to: history.oldestBase)
  }
}

/// The participant who submits an operation.
public struct Author: Hashable, Sendable, BitwiseCopyable {
  public var session: SessionID
  public var seat: SeatNumber

  public init(session: SessionID, seat: SeatNumber) {
    self.session = session
    self.seat = seat
  }
}

extension Table {
  /// Judges an operation, in the order that `Protocol/README.md` gives, and applies it if it is accepted.
  ///
  /// Whether it was judged before, whether its epoch is the table's, and whether its author may ask so often is the
  /// session's business and settled before.
  ///
  /// - Parameters:
  ///   - memory: What is remembered of the author's earlier operations; it learns of this one.
  ///   - claims: Who drags which items, where the table type says that others cannot take them meanwhile; `nil` for no one.
  /// - Complexity: O(k log n) for k items named, and O(t) for the t times that others moved an anchor since the base.
  public mutating func judge(
    _ operation: TableOperation, by author: Author, memory: inout AuthorMemory, claims: [ItemID: Claim]? = nil
  ) -> Judgement {
    if role == .authority, operation.base > state.revision || operation.base < oldestBase {
      return .retry(Refusal(.staleBase, detail: "the table keeps revisions from \(oldestBase.rawValue) on"))
    }
    memory.advance(to: operation)
    let plan: Plan
    do throws(Refusal) {
      plan = try self.plan(operation, by: author, memory: &memory, claims: claims)
    } catch {
      memory.refuse(operation.sequence)
      if !copies(operation, memory) { memory.displace(operation, at: state.revision) }
      return .refused(error)
    }
    guard let diff = apply(plan) else {
      memory.learn(operation, plan, minted: [], at: state.revision)
      return .unchanged
    }
    memory.learn(operation, plan, minted: diff.minted, at: state.revision)
    return .accepted(role == .replica && state.type.hasSecrets ? diff.told(to: author.seat) : diff)
  }

  /// Whether a refused operation would have been a copy, which does not move its sources.
  func copies(_ operation: TableOperation, _ memory: AuthorMemory) -> Bool {
    guard case .reorder(let difference, let suggested) = operation.kind,
      state.isKnown(difference.destination.collection)
    else { return false }
    if !suggested.isEmpty, suggested.isDisjoint(with: [.move, .delete]) { return true }
    let slots = difference.sources.prefix(TableLimits.itemsPerOperationMax).map { item in
      state.index.slot(of: item.isProvisional ? memory.resolve(item) ?? item : item)
    }
    let known = SlotList(slots.filter { $0 >= 0 })
    return !known.isEmpty
      && state.operation(of: known, on: difference.destination.collection.index, suggested: suggested) == .copy
  }
}
