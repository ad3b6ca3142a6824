/// The effect of an operation on a table: fully decided, and not carried out yet.
///
/// ``Table/plan(_:by:memory:claims:)`` makes it without changing the table, or throws the refusal;
/// ``Table/apply(_:)-(Plan)`` carries it out and cannot fail.
package struct Plan: ~Copyable, Sendable {
  let author: Author
  let sequence: SequenceNumber
  /// The drop operation; `.cancel` if the operation is not a drop.
  var operation = DropOperation.cancel
  /// Whether the destination was carried forward over diffs that the author had not seen.
  var isRebased = false
  /// Whether the rules chose another destination than the requested one.
  var isRedirected = false
  /// The positions, among the items that a reorder names, of the accepted ones; `nil` for all.
  var acceptedPositions: InlineList<Int>?
  var effect: Effect

  /// The effect of a plan. The rarer cases are boxed, so that a plan is small enough to be passed in registers.
  enum Effect: Sendable {
    /// The operation is allowed and changes nothing.
    case nothing
    case move(Move)
    /// A move, the new faces of its items (none if they keep their faces), and the steps that the rules of collections add
    /// to it.
    indirect case moveThen(Move, [Consequence], stamped: [Face])
    indirect case copy(Copy)
    indirect case insert(Insertion)
    case remove(SlotList)
    indirect case update(slot: Int32, Face)
    indirect case perform([Action.Step], on: SlotList, RuleContext, changesAlways: Bool)
    case setEnabled(CollectionHandle, Bool)
    indirect case undo(Inverse)
  }

  struct Move: Sendable {
    var slots: SlotList
    var collection: Int32
    /// The slot that the block will be before, never one of its own; −1 for the end.
    var anchor: Int32
    var place: Place
  }

  struct Copy: Sendable {
    /// The items that are copied, on the table or as their author saw them.
    var originals: [Original]
    var collection: Int
    var place: Place
    /// The number of items that the operation named.
    var namedCount: Int
    /// For each original the position of its item among those named, if some were left out.
    var positions: InlineList<Int>?

    struct Original: Sendable {
      var face: Face
      var isFaceUp: Bool
      var isFaceKnown: Bool
      var visibility: FaceVisibility
      /// The item that an alias is made of; none for a copy.
      var aliasOf = ItemID.none
    }
  }

  struct Insertion: Sendable {
    /// The faces of the accepted items.
    var faces: [Face]
    var collection: Int
    var place: Place
    /// The number of items that the operation inserts.
    var namedCount: Int
  }

  struct Consequence: Sendable {
    let step: Action.Step
    let context: RuleContext
  }

  init(_ request: Request, _ effect: Effect) {
    author = request.author
    sequence = request.sequence
    self.effect = effect
  }
}

/// The author of the operation that is planned, and the state that the author saw.
struct Request: Sendable, BitwiseCopyable {
  let author: Author
  let sequence: SequenceNumber
  /// The operation's base, limited in a replica to the revisions that its history covers.
  let base: Revision
  /// Whether the history covers the base. A replica's does not if a snapshot came since.
  var isCovered = true

  var seat: SeatNumber { author.seat }
}

extension Table {
  /// Plans an operation in the order of the rules G3 to G13 of `Protocol/judging.md`:
  ///
  /// | rule | question | file |
  /// |---|---|---|
  /// | G3 | are the items known? | `Resolve.swift` |
  /// | G4 | where is the gap now? | `Gap.swift`, `Landing.swift` |
  /// | G5, G6, G10 | may the author, and did others take the items first? | `Permission.swift` |
  /// | G7 | may the items leave together? | `Lift.swift` |
  /// | G8 | does the destination take them, and where? | `Drop.swift`, `Drop+Conditions.swift` |
  /// | G9 | may items be inserted or updated, or the action be performed? | `Operations.swift`, `Actions.swift` |
  /// | Y1–Y8 | may items be aliases, or have some, where they land? | `Aliases.swift` |
  /// | G11 | is the table large enough, are keys free, and what follows the move? | `Size.swift`, `Keys.swift`, `Consequences.swift` |
  /// | G12 | would a rule read a hidden face? | `Visibility/TableState+Visibility.swift` |
  /// | G13 | may it be undone? | `Undo.swift`, `Inverse.swift` |
  ///
  /// A move of one item that no rule concerns takes `Apply/PlainMove.swift` instead, with the same verdict.
  ///
  /// - Parameters:
  ///   - memory: The memory of the author's earlier operations.
  ///   - claims: The claims on dragged items, if the table type enforces them; `nil` for none.
  /// - Throws: The refusal of the first rule that does not hold. The table is unchanged.
  /// - Complexity: O(k log n) for k items named, and O(t) for the t times that others moved an anchor since the base.
  package func plan(
    _ operation: TableOperation, by author: Author, memory: AuthorMemory, claims: [ItemID: Claim]? = nil
  ) throws(Refusal) -> Plan {
    let request = request(operation.sequence, since: operation.base, by: author)
    // There are no provisional ids by which a replica could show the items that it makes.
    if role == .replica, operation.sequence >= ItemID.provisionalOperationsEnd { throw Refusal.unpredictable }
    switch operation.kind {
    case .reorder(let difference, let suggested):
      return try planReorder(difference, suggested, request, memory, claims)
    case .insert(let items, let destination): return try planInsertion(items, destination, request, memory)
    case .remove(let items): return try planRemoval(items, request, memory, claims)
    case .update(let item, let attributes, let representations):
      return try planUpdate(item, attributes, representations, request, memory, claims)
    case .perform(let action, _, let destination) where Self.isForHost(action):
      return try planForHost(action, destination, request)
    case .perform(let action, let items, _): return try planAction(action, items, request, memory, claims)
    case .undo(let target): return try planUndo(target, request, memory, claims)
    case .unknown: throw Refusal(.operationNotSupported)
    case .invalid(let defect, _): throw defect.refusal
    }
  }

  /// Returns the author of an operation and the state that the author saw.
  func request(_ sequence: SequenceNumber, since base: Revision, by author: Author) -> Request {
    Request(
      author: author, sequence: sequence, base: min(max(base, oldestBase), state.revision),
      isCovered: base >= oldestBase)
  }
}
