/// The positions of a table as its diffs describe them, kept apart from the table: which item stood where, since when and until
/// when, and whose drop put it there.
struct PositionLedger: Sendable {
  struct Place: Sendable {
    let id: Int
    let item: Int
    /// The session whose position it is; `nil` for nobody's.
    let session: Int?
    let placed: Int
    var vacated: Int?
    /// Whether an undo has put the item back.
    var isReturn = false
    /// The run that it belongs to; `nil` if it was not typed beside anything.
    var run: Int?
  }

  /// What an operation did.
  struct Effect: Sendable {
    /// The places that it vacated, by item.
    var left: [Int: Int] = [:]
    /// The places that it made, or where it found what it did not have to move.
    var put: [Int: Int] = [:]
  }

  private(set) var collections: [[Place]] = []
  /// The session of each run: positions that were made one beside the other by the same author.
  private(set) var runs: [Int] = []
  private var standing: [Int: Int] = [:]
  private var current: [Int: Int] = [:]
  private var collectionOf: [Int: Int] = [:]
  private var effects: [[Int: Effect]]
  private var lastID = 0

  init(_ setUp: PositionSetUp) {
    effects = Array(repeating: [:], count: setUp.authors + 1)
    for (collection, items) in setUp.lists.enumerated() {
      collections.append([])
      for item in items {
        let place = make(item, session: nil, at: 0, in: collection)
        collections[collection].append(place)
      }
    }
  }

  // MARK: Reading

  func items(in collection: Int) -> [Int] {
    collections[collection].compactMap { $0.vacated == nil ? $0.item : nil }
  }

  /// Returns what an author's operation did; `nil` if it was refused.
  func effect(of author: Int, _ number: Int) -> Effect? { effects[author][number] }

  /// Returns the place that counts as one with a place in the end (N5).
  func standing(_ id: Int) -> Int {
    var id = id
    while let next = standing[id] { id = next }
    return id
  }

  /// Returns whether an item still stands in a place, or in the one that counts as one with it.
  func stands(_ item: Int, in place: Int) -> Bool { current[item] == standing(place) }

  /// Returns the place that a name names, or the one that counts as one with it; `nil` if the author's operation did not put the
  /// item there.
  func place(named name: ModelOperation.Name, by operation: ModelOperation) -> Int? {
    if let by = name.by, by > 0 {
      let put = effects[operation.author][by]?.put[name.item]
      return put.flatMap { collectionOf[$0] == operation.collection ? standing($0) : nil }
    }
    let place = collections[operation.collection].first {
      $0.item == name.item && $0.placed <= operation.base && ($0.vacated ?? .max) > operation.base
    }
    return place.map { standing($0.id) }
  }

  // MARK: Writing

  /// Notes an answer: what an accepted operation vacated and made.
  mutating func note(_ answer: ModelAnswer, to operation: ModelOperation) {
    switch answer.verdict {
    case .refused, .retry: return
    case .unchanged:
      var effect = Effect()
      for item in operation.items { effect.put[item] = current[item] }
      effects[operation.author][operation.number] = effect
    case .accepted:
      guard let diff = answer.diff else { return }
      var effect = Effect()
      for item in diff.taken { effect.left[item] = vacate(item, at: diff.revision) }
      for block in diff.blocks {
        if case .undo(let target) = operation.kind {
          for item in block.items {
            effect.put[item] = putBack(item, leftBy: effects[operation.author][target], diff, in: block.collection)
          }
        } else {
          put(block, diff, &effect)
        }
      }
      effects[operation.author][operation.number] = effect
    }
  }

  private mutating func vacate(_ item: Int, at revision: Int) -> Int? {
    guard let id = current.removeValue(forKey: item), let collection = collectionOf[id],
      let index = collections[collection].firstIndex(where: { $0.id == id })
    else { return nil }
    collections[collection][index].vacated = revision
    return id
  }

  private mutating func put(_ block: ModelDiff.Block, _ diff: ModelDiff, _ effect: inout Effect) {
    let list = collections[block.collection]
    var index = block.anchor.flatMap { current[$0] }.flatMap { id in list.firstIndex { $0.id == id } } ?? list.count
    if let gone = block.gone,
      let vacant = list.firstIndex(where: { $0.item == gone.item && $0.vacated == gone.revision })
    {
      index = vacant
    }
    for item in block.items {
      let place = make(item, session: diff.author, at: diff.revision, in: block.collection)
      collections[block.collection].insert(place, at: index)
      effect.put[item] = place.id
      index += 1
    }
  }

  /// N5: an item returns directly behind the position that it had left.
  private mutating func putBack(_ item: Int, leftBy undone: Effect?, _ diff: ModelDiff, in collection: Int) -> Int? {
    guard let left = undone?.left[item].map(standing),
      let index = collections[collection].firstIndex(where: { $0.id == left })
    else { return nil }
    var place = make(item, session: collections[collection][index].session, at: diff.revision, in: collection)
    place.run = collections[collection][index].run
    place.isReturn = true
    collections[collection].insert(place, at: index + 1)
    standing[left] = place.id
    return place.id
  }

  private mutating func make(_ item: Int, session: Int?, at revision: Int, in collection: Int) -> Place {
    lastID += 1
    current[item] = lastID
    collectionOf[lastID] = collection
    return Place(id: lastID, item: item, session: session, placed: revision)
  }

  // MARK: Runs

  /// Puts what a drop made into a run: that of the position in front of its gap if it is the author's own, else that of the one
  /// behind, else a new one.
  mutating func join(_ places: [Int], of author: Int, beside named: [Int], in collection: Int) -> Int {
    let list = collections[collection]
    var run: Int?
    for id in named where run == nil {
      run = list.first { $0.id == id }?.run.flatMap { runs[$0] == author ? $0 : nil }
    }
    if run == nil { runs.append(author) }
    let joined = run ?? runs.count - 1
    for index in list.indices where places.contains(list[index].id) { collections[collection][index].run = joined }
    return joined
  }

  /// Returns the first and the last index of each run in a collection, of those of its places that count.
  func spans(in collection: Int, where counts: (Place) -> Bool) -> [Int: (first: Int, last: Int)] {
    var spans: [Int: (first: Int, last: Int)] = [:]
    for (index, place) in collections[collection].enumerated() {
      guard let run = place.run, counts(place) else { continue }
      spans[run] = (spans[run]?.first ?? index, index)
    }
    return spans
  }
}
