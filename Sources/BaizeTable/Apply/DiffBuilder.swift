/// The diff that a plan becomes while it is applied.
struct DiffBuilder {
  let author: Author
  let sequence: SequenceNumber
  /// The revision that the diff leads to.
  let revision: Revision
  /// Items are put where the operation says, and not where the rules chose.
  let isAsAsked: Bool
  var changes = InlineList<Change>()
  /// Who may see each of the changes, in their order; empty where everyone may see all of them.
  var audiences = InlineList<Audience>()
  var minted: [ItemID] = []
  /// The number of provisional ids that were given so far (replicas only).
  var provisionalCount = 0
  /// Something hidden was shown, or an item got a new id: the operation cannot be undone.
  var isFinal = false
  /// The revision that the operation undoes; zero where it undoes none.
  var undoes = Revision.zero

  /// Adds a change that everyone may see.
  @inline(__always) mutating func add(_ change: Change) {
    if !audiences.isEmpty { audiences.append(.everyone) }
    changes.append(change)
  }

  /// Adds a change that `audience` alone may see.
  mutating func add(_ change: Change, for audience: Audience) {
    if audience != .everyone || !audiences.isEmpty {
      while audiences.count < changes.count { audiences.append(.everyone) }
      audiences.append(audience)
    }
    changes.append(change)
  }

  /// The diff of a plan that was applied.
  consuming func finish(_ plan: Plan) -> Diff {
    Diff(
      revision: revision, author: author.session, sequence: sequence, changes: changes, audiences: audiences,
      operation: plan.operation, isRebased: plan.isRebased, isRedirected: plan.isRedirected, minted: minted)
  }
}
