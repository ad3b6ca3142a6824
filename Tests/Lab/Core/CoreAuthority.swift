import BaizeSync
import BaizeTable
import BaizeWorkload

/// A table of type `list` that judges random moves of single items by several authors in turn.
struct CoreAuthority {
  private(set) var table: Table
  private let start: Revision
  private var random = RandomSource(seed: 3)
  private var memories: [AuthorMemory]
  private var sequences: [UInt64]

  /// Continues from a state.
  init(_ state: TableState, authors: Int) {
    table = Table(restoring: state, random: RandomSource(seed: 1))
    start = state.revision
    memories = Array(repeating: AuthorMemory(), count: authors)
    sequences = Array(repeating: 0, count: authors)
  }

  /// Creates a list of `items` items.
  init(items: Int, authors: Int) throws(TableTypeFailure) {
    let type = try CachedTableTypes().tableType(named: "list?items=\(items)")
    self.init(Table(type: type, random: RandomSource(seed: 1)).state, authors: authors)
  }

  static func author(_ number: Int) -> Author {
    Author(session: SessionID(rawValue: UInt64(number + 1)), seat: SeatNumber(rawValue: 1))
  }

  mutating func nextMove() -> TableOperation.Kind {
    guard let move = table.state.anyMove(&random, not: []) else { preconditionFailure("the list is empty") }
    return move
  }

  /// Returns the author's next operation, on a base that is `unseen` revisions old.
  mutating func operation(_ kind: TableOperation.Kind, by author: Int, unseen: UInt64 = 0) -> TableOperation {
    sequences[author] += 1
    let revision = table.state.revision.rawValue
    let base = revision - min(unseen, revision - start.rawValue)
    return TableOperation(
      sequence: SequenceNumber(rawValue: sequences[author]), base: Revision(rawValue: base), epoch: Epoch(rawValue: 1),
      kind: kind)
  }

  /// - Returns: The diff; `nil` if the operation changed nothing.
  mutating func judge(_ operation: TableOperation, by author: Int) -> Diff? {
    switch table.judge(operation, by: Self.author(author), memory: &memories[author]) {
    case .accepted(let diff): return diff
    case .unchanged: return nil
    case .refused(let refusal), .retry(let refusal): preconditionFailure("a free move was not allowed: \(refusal)")
    }
  }

  /// Returns the next accepted move of an author with the latest base, with its operation.
  mutating func nextAccepted(by author: Int) -> (operation: TableOperation, diff: Diff) {
    while true {
      let operation = operation(nextMove(), by: author)
      if let diff = judge(operation, by: author) { return (operation, diff) }
    }
  }

  /// Returns a replica of the present state that reports no changes.
  func makeReplica() -> Replica {
    var replica = Replica(
      state: table.state, epoch: Epoch(rawValue: 1), author: Self.author(0), lastSequence: .zero)
    replica.reportsChanges = false
    return replica
  }
}
