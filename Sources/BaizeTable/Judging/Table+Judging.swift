/// What is known of an operation while it is judged, and the diff that it grows into.
struct Judging {
  let operation: TableOperation
  let author: Author
  /// The operation's base, or what a replica still knows of it.
  let base: Revision
  /// The revision that the operation leads to if it is accepted.
  let revision: Revision
  var diff: Diff
  /// How many provisional ids were given so far (replicas only).
  var provisionalCount = 0

  /// The prediction ends here: what comes depends on what a replica cannot know.
  static let unpredictable = Refusal(Reason(rawValue: "UNPREDICTABLE"))
}

extension Table {
  /// Judges an operation, in the order that `Protocol/README.md` gives, and applies it if it is accepted.
  ///
  /// Whether it was judged before, whether its epoch is the table's, and whether its author may ask so often is the
  /// session's business and settled before.
  ///
  /// - Parameter memory: What is remembered of the author's earlier operations; it learns of this one.
  /// - Complexity: O(k log n + w) for k items named and w diffs since the base that took something out.
  public mutating func judge(
    _ operation: TableOperation, by author: Author, memory: inout AuthorMemory
  ) -> Judgement {
    var base = operation.base
    if role == .replica {
      base = min(max(base, history.oldestBase), state.revision)
    } else if base > state.revision || base < history.oldestBase {
      return .retry(Refusal(.staleBase, detail: "the table keeps revisions from \(history.oldestBase.rawValue) on"))
    }
    memory.advance(to: operation)
    let revision = state.revision.next
    var judging = Judging(
      operation: operation, author: author, base: base, revision: revision,
      diff: Diff(revision: revision, author: author.session, sequence: operation.sequence))
    do throws(Refusal) {
      let isChanged = try carryOut(&judging, &memory)
      guard isChanged else { return .unchanged }
    } catch {
      memory.displace(operation, at: state.revision)
      return .refused(error)
    }
    conclude(&judging)
    memory.make(judging.diff.minted, by: operation.sequence)
    return .accepted(judging.diff)
  }

  /// Carries out an operation, or throws before anything has changed.
  ///
  /// - Returns: Whether it makes a difference.
  private mutating func carryOut(_ judging: inout Judging, _ memory: inout AuthorMemory) throws(Refusal) -> Bool {
    switch judging.operation.kind {
    case .reorder(let difference, let suggested): try reorder(difference, suggested, &judging, &memory)
    case .insert(let items, let destination): try insert(items, destination, &judging, &memory)
    case .remove(let items): try remove(items, &judging, memory)
    case .update(let item, let attributes, let representations):
      try update(item, attributes, representations, &judging, memory)
    case .perform(let action, let items, _): try perform(action, items, &judging, memory)
    case .undo, .unknown: throw Refusal(.operationNotSupported)
    }
  }

  /// What follows from a change by itself: the table's status, its revision.
  private mutating func conclude(_ judging: inout Judging) {
    if !state.type.endings.isEmpty {
      let context = RuleContext(seat: judging.author.seat)
      let ending = state.type.endings.first { state.holds($0.when, context) }
      if let status = ending?.status, status != state.status {
        state.setStatus(status)
        judging.diff.changes.append(.status(status))
      }
    }
    state.revision = judging.revision
    history.trim(at: judging.revision)
  }

  // MARK: Shape

  /// The slots of the items that an operation names, without those that are gone where the table type allows that.
  ///
  /// - Returns: The slots, and for each its position in `items` where some were left out.
  func resolve(
    _ items: ItemList, _ judging: Judging, _ memory: AuthorMemory
  ) throws(Refusal) -> (slots: SlotList, kept: [Int]?) {
    guard !items.isEmpty else { throw Refusal(.emptySources, detail: "the operation names no item") }
    guard items.count <= TableLimits.itemsPerOperationMax else {
      throw Refusal(.tooManyItems, detail: "an operation names at most \(TableLimits.itemsPerOperationMax) items")
    }
    if items.count == 1 {
      let slot = try slot(items[0], judging, memory)
      guard slot >= 0 else { throw Self.gone }
      return (SlotList(slot), nil)
    }
    var slots = SlotList()
    var kept: [Int] = []
    var seen = Set<Int32>()
    for (position, item) in items.enumerated() {
      let slot = try slot(item, judging, memory)
      guard slot >= 0 else { continue }
      guard seen.insert(slot).inserted else {
        throw Refusal(.duplicateSource, detail: "item \(item.rawValue) is named twice")
      }
      slots.append(slot)
      kept.append(position)
    }
    guard !slots.isEmpty else { throw Self.gone }
    return (slots, kept.count == items.count ? nil : kept)
  }

  static let gone = Refusal(.contended, detail: "another took it off the table")

  /// The slot of one item; −1 for one that may be left out.
  private func slot(_ item: ItemID, _ judging: Judging, _ memory: AuthorMemory) throws(Refusal) -> Int32 {
    let known = state.index.slot(of: item)
    if known >= 0 { return known }
    var item = item
    if item.isProvisional {
      guard item.provisionalOperation < judging.operation.sequence else { throw Refusal(.unknownItem) }
      guard let made = memory.resolve(item) else {
        throw Refusal(.dependsOnRefused, detail: "the operation that was to make the item was refused")
      }
      item = made
      let slot = state.index.slot(of: item)
      if slot >= 0 { return slot }
    }
    guard let last = history.lastTakeOut(of: item, since: judging.base), last.author != judging.author.session else {
      throw Refusal(.unknownItem, detail: "item \(item.rawValue) is not on the table")
    }
    guard state.type.allowsPartialMoves else { throw Self.gone }
    return -1
  }

  func known(_ collection: CollectionHandle) throws(Refusal) -> Int {
    guard state.isKnown(collection) else {
      throw Refusal(.unknownCollection, detail: "the table has no collection \(collection.rawValue)")
    }
    return collection.index
  }

  // MARK: Standing

  func checkStanding(_ judging: Judging) throws(Refusal) {
    guard judging.author.seat != .spectator else {
      throw Refusal(.permissionDenied, detail: "spectators only watch")
    }
    if state.status != TableState.open, state.type.endings.contains(where: { $0.status == state.status && $0.isFinal }) {
      throw Refusal(.gameOver, detail: "the table is \(state.status)")
    }
  }

  func checkEnabled(_ slots: SlotList) throws(Refusal) {
    for slot in slots { try state.checkEnabled(Int(state.records[slot].collection)) }
  }

  // MARK: Contention

  /// Refuses to take what another took since the base, where the table type says that the first one wins.
  func checkContention(_ slots: SlotList, _ judging: Judging) throws(Refusal) {
    guard state.type.contention == .first else { return }
    for slot in slots {
      let record = state.records[slot]
      guard record.placed <= judging.base || record.placedBy == judging.author.session else {
        throw Refusal(.contended, detail: "another moved item \(record.id.rawValue) meanwhile")
      }
    }
  }

  // MARK: Ids

  /// Ids for `count` new items: the next ones, in random order. In a replica they are provisional.
  mutating func mint(_ count: Int, for sequence: SequenceNumber, from number: Int = 0) -> [ItemID] {
    guard role == .authority else {
      return (number..<number + count).map { .provisional(operation: sequence, number: $0) }
    }
    var ids = (0..<UInt64(count)).map { ItemID(rawValue: state.nextID + $0) }
    state.nextID += UInt64(count)
    random.shuffle(&ids)
    return ids
  }
}

extension AuthorMemory {
  /// Notes that nothing that `operation` would have moved is where its author sees it.
  public mutating func displace(_ operation: TableOperation, at revision: Revision) {
    switch operation.kind {
    case .reorder(let difference, _): displace(difference.sources, by: operation.sequence, at: revision)
    case .remove(let items), .perform(_, let items, _): displace(items, by: operation.sequence, at: revision)
    case .insert, .update, .undo, .unknown: break
    }
  }

  private mutating func displace(_ items: ItemList, by sequence: SequenceNumber, at revision: Revision) {
    for item in items.prefix(TableLimits.itemsPerOperationMax) { displace(item, by: sequence, at: revision) }
  }
}
