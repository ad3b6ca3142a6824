/// A builder of the diff while a plan is applied.
struct DiffBuilder {
  let author: Author
  /// The diff so far.
  private(set) var diff: Diff
  /// The number of provisional ids assigned so far (replicas only).
  var provisionalCount = 0
  /// Whether the operation cannot be undone: something hidden was revealed, or an item got a new id.
  var isFinal = false
  /// The number of items that steps may still move, and the bytes that they may still show. Planning has counted both, but a
  /// count may grow by an earlier step.
  var stepItemsLeft = TableLimits.stepItemsMax
  var stepBytesLeft = TableLimits.operationFaceBytesMax
  /// The revision of the operation that this one undoes; zero for none.
  var undoes = Revision.zero

  /// - Parameter revision: The revision that the plan leads to.
  @inline(__always) init(_ plan: borrowing Plan, revision: Revision) {
    author = plan.author
    diff = Diff(
      revision: revision, author: plan.author.session, sequence: plan.sequence, operation: plan.operation,
      isRebased: plan.isRebased, isRedirected: plan.isRedirected)
  }

  var sequence: SequenceNumber { diff.sequence }
  var revision: Revision { diff.revision }
  var isEmpty: Bool { diff.changes.isEmpty }

  /// Sets the ids of the items that the operation makes, as its author may see them.
  mutating func setMinted(_ ids: [ItemID]) { diff.minted = ItemList(ids) }

  /// Adds a change that `audience` may see.
  mutating func add(_ change: Change, for audience: Audience = .everyone) { diff.append(change, for: audience) }

  /// Gives items that the diff describes already the faces that they have in the end: a viewer that could not see an item must
  /// not receive what its face was before.
  mutating func replaceFaces(by items: [Item]) {
    let faces = Dictionary(items.map { ($0.id, $0.face) }) { $1 }
    func replaced(_ item: Item) -> Item {
      var item = item
      if let face = faces[item.id] { item.face = face }
      return item
    }
    for index in diff.changes.indices {
      switch diff.changes[index] {
      case .inserted(let items, let destination): diff.changes[index] = .inserted(items.map(replaced), destination)
      case .faced(let items): diff.changes[index] = .faced(items.map(replaced))
      case .moved, .removed, .status, .enabled, .counted, .variables, .seats: break
      }
    }
  }

  /// Returns the diff of an applied plan.
  consuming func finish() -> Diff { diff }
}
