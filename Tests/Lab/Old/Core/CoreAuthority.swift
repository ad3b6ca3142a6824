import BaizeSync
import BaizeTable

/// A table of type `list` that judges random moves of single items by several authors in turn.
struct CoreAuthority {
  private(set) var table: Table
  private let items: [ItemID]
  private let start: Revision
  private var random = RandomSource(seed: 3)
  private var memories: [AuthorMemory]
  private var sequences: [UInt64]

  static let collection = CollectionHandle(rawValue: 1)

  /// Continues from a state.
  init(_ state: TableState, authors: Int) {
    table = Table(restoring: state, random: RandomSource(seed: 1))
    items = state.itemIDs(in: Self.collection)
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

  /// Returns the next move: any item before any other.
  mutating func nextMove() -> TableOperation.Kind {
    let source = items[Int(random.next(below: UInt64(items.count)))]
    var anchor = source
    while anchor == source { anchor = items[Int(random.next(below: UInt64(items.count)))] }
    let destination = Destination(collection: Self.collection, position: .before(anchor))
    return .move(ItemList(source), to: destination)
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
}
