/// The diff that a plan becomes while it is applied.
struct DiffBuilder {
  let author: Author
  /// Items are put where the operation says, and not where the rules chose.
  let isAsAsked: Bool
  /// The diff so far.
  private(set) var diff: Diff
  /// The number of provisional ids that were given so far (replicas only).
  var provisionalCount = 0
  /// Something hidden was shown, or an item got a new id: the operation cannot be undone.
  var isFinal = false
  /// The revision that the operation undoes; zero where it undoes none.
  var undoes = Revision.zero

  /// - Parameter revision: The revision that the plan leads to.
  @inline(__always) init(_ plan: borrowing Plan, revision: Revision) {
    author = plan.author
    isAsAsked = !plan.isRedirected
    diff = Diff(
      revision: revision, author: plan.author.session, sequence: plan.sequence, operation: plan.operation,
      isRebased: plan.isRebased, isRedirected: plan.isRedirected)
  }

  var sequence: SequenceNumber { diff.sequence }
  var revision: Revision { diff.revision }
  var isEmpty: Bool { diff.changes.isEmpty }

  /// The ids of what the operation makes, as its author may know them.
  mutating func setMinted(_ ids: [ItemID]) { diff.minted = ItemList(ids) }

  /// Adds a change that `audience` may see.
  mutating func add(_ change: Change, for audience: Audience = .everyone) { diff.append(change, for: audience) }

  /// The diff of a plan that was applied.
  consuming func finish() -> Diff { diff }
}
