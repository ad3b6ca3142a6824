/// A place in a collection: occupied by an item, or vacant since that left.
struct ModelPosition: Sendable {
  let id: Int
  let item: Int
  /// The session whose position it is (N3, N4); `nil` for nobody's.
  var session: Int?
  /// The author of the operation that made it. An undo makes positions of the session that had made those left.
  let author: Int?
  /// The revision that made it.
  let placed: Int
  /// The revision that vacated it; `nil` while it is occupied.
  var vacated: Int?
  /// The run that it belongs to (N4).
  var run: Int?
  /// The author of what vacated it.
  var vacatedBy: Int?
  /// The position that counts as one with it (N5).
  var successor: Int?

  /// Returns whether the item stood here at a revision.
  func isOccupied(at base: Int) -> Bool { placed <= base && isCounted(since: base) }

  /// Returns whether it was not vacant already at a revision (N4).
  func isCounted(since base: Int) -> Bool { (vacated ?? .max) > base }
}

/// The rebase by positions (`Protocol/positions.md`), as simply as it can be said: a collection is an array of
/// positions, a search is a scan. It is what the table of `BaizeTable` will be compared with.
///
/// - **N1.** What puts an item makes a new position of its author's session. What takes an item out leaves its position vacant.
/// - **N2.** A name is a position: the one that the item had at the base, or that the author's own pending operation made.
/// - **N3.** Next to an own position, a block lands directly beside that.
/// - **N4.** Else it lands in the last place of the gap that is inside the fewest runs. What was vacant at the base does not count.
/// - **N5.** An undo puts back directly behind the position left, and the two count as one.
/// - **N6.** A position that no operation can name any more is forgotten.
///
/// A name whose operation did not put the item there cannot be resolved: the operation is to be sent again, with the names of
/// what its author sees then. Until then a client shows it where the other name says, or where that operation was to put the item.
struct PositionTable: Sendable {
  struct Rules: Sendable {
    /// The greatest number of items; `nil` for any.
    var capacity: Int?
    /// Whether a block is accepted as far as there is room.
    var acceptsPart = false
    /// The collection at whose end drops land.
    var redirect: Int?
  }

  struct Effect: Sendable {
    struct Taken: Sendable {
      let item: Int
      var from: Int
      /// Where the operation put it; `nil` if it left the table.
      var to: Int?
    }

    let author: Int
    let number: Int
    var taken: [Taken] = []
    var made: [(item: Int, position: Int)] = []
    var isUndone = false
  }

  var collections: [[ModelPosition]]
  var rules: [Rules]
  /// Whether items that others moved since the base are refused.
  var isFirstWins = false
  var revision = 0
  var lastID = 0
  var effects: [Effect] = []
  var removals: [Int: (author: Int, revision: Int)] = [:]
  /// Whether it is a client's, which predicts.
  var isReplica = false
  let fault: ModelFault?
  /// N4 looks at so many positions, from behind.
  static let positionsLookedAtMax = 500

  init(_ collections: [[Int]], fault: ModelFault? = nil) {
    self.fault = fault
    rules = collections.map { _ in Rules() }
    self.collections = []
    for items in collections {
      self.collections.append(items.map { item in makePosition(of: item, session: nil, author: nil) })
    }
  }

  // MARK: Reading

  /// The items of a collection, in order.
  func items(in collection: Int) -> [Int] { collections[collection].filter { $0.vacated == nil }.map(\.item) }

  /// Returns where a position is.
  func place(of id: Int) -> (collection: Int, index: Int)? { firstPlace { $0.id == id } }

  /// Returns where an item stands.
  func place(ofItem item: Int) -> (collection: Int, index: Int)? { firstPlace { $0.vacated == nil && $0.item == item } }

  func position(ofItem item: Int) -> ModelPosition? { place(ofItem: item).map { collections[$0.collection][$0.index] } }

  func firstPlace(where isSought: (ModelPosition) -> Bool) -> (collection: Int, index: Int)? {
    for (collection, positions) in collections.enumerated() {
      if let index = positions.firstIndex(where: isSought) { return (collection, index) }
    }
    return nil
  }

  /// Returns the position that a position counts as one with, in the end (N5).
  func standing(_ id: Int) -> Int {
    var id = id
    while let place = place(of: id),
      let successor = collections[place.collection][place.index].successor, self.place(of: successor) != nil
    {
      id = successor
    }
    return id
  }

  // MARK: Judging

  /// Judges an operation and carries it out.
  mutating func judge(_ operation: ModelOperation, _ memory: inout ModelMemory) -> ModelAnswer {
    forgetAnswered(by: operation, &memory)
    var entry = ModelMemory.Entry(operation)
    let answer: ModelAnswer
    do {
      switch operation.kind {
      case .insert, .move: answer = try land(operation, memory, &entry)
      case .remove: answer = try remove(operation, &entry)
      case .undo(let target): answer = try undo(target, operation, memory, &entry)
      }
    } catch {
      answer = ModelAnswer(verdict: .refused(error))
    }
    if answer.verdict != .retry { memory.entries.append(entry) }
    return answer
  }

  mutating func forgetAnswered(by operation: ModelOperation, _ memory: inout ModelMemory) {
    let oldest = operation.number - operation.unanswered
    memory.entries.removeAll { $0.number < oldest }
  }

  /// Returns whether a name refers to where an own pending operation was to put an item and did not.
  func namesLost(_ operation: ModelOperation, _ memory: ModelMemory) -> Bool {
    guard operation.lands, !isReplica, fault != .keepsLostNames else { return false }
    return [operation.before, operation.after].contains { name in
      guard let name, case .lost = named(name, operation, memory) else { return false }
      return true
    }
  }
}
