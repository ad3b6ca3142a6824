/// What is known of an operation while it is judged, and the diff that it grows into.
struct Judging {
  let sequence: SequenceNumber
  let author: Author
  /// The operation's base, or what a replica still knows of it.
  let base: Revision
  /// The revision that the operation leads to if it is accepted.
  let revision: Revision
  var diff: Diff
  /// What others drag, where the table type says that it cannot be taken meanwhile.
  var claimed: [ItemID: Claim] = [:]
  /// How many provisional ids were given so far (replicas only).
  var provisionalCount = 0
  /// It showed what was hidden, or gave an item a new id: it cannot be undone.
  var isFinal = false
  /// The revision that it undoes; zero where it is no undo.
  var undoes = Revision.zero

  /// Hands the diff over without a copy.
  mutating func takeDiff() -> Diff {
    var taken = Diff(revision: revision, author: author.session, sequence: sequence)
    swap(&taken, &diff)
    return taken
  }

  /// The prediction ends here: what comes depends on what a replica cannot know.
  static let unpredictable = Refusal(.unpredictable)
}

extension Reason {
  /// A replica's own: what comes depends on what it cannot know. No one is answered so.
  package static let unpredictable = Reason(rawValue: "UNPREDICTABLE")
}

extension Table {
  /// Judges an operation, in the order that `Protocol/README.md` gives, and applies it if it is accepted.
  ///
  /// Whether it was judged before, whether its epoch is the table's, and whether its author may ask so often is the
  /// session's business and settled before.
  ///
  /// - Parameters:
  ///   - memory: What is remembered of the author's earlier operations; it learns of this one.
  ///   - claimed: Who drags which items, where the table type says that others cannot take them meanwhile.
  /// - Complexity: O(k log n + w) for k items named and w diffs since the base that took something out.
  public mutating func judge(
    _ operation: TableOperation, by author: Author, memory: inout AuthorMemory, claimed: [ItemID: Claim] = [:]
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
      sequence: operation.sequence, author: author, base: base, revision: revision,
      diff: Diff(revision: revision, author: author.session, sequence: operation.sequence), claimed: claimed)
    do throws(Refusal) {
      let isChanged = try carryOut(operation.kind, &judging, &memory)
      guard isChanged else { return .unchanged }
    } catch {
      memory.refuse(operation.sequence)
      if !copies(operation, memory) { memory.displace(operation, at: state.revision) }
      return .refused(error)
    }
    conclude(&judging)
    if !judging.diff.minted.isEmpty { memory.make(judging.diff.minted, by: operation.sequence) }
    let diff = judging.takeDiff()
    return .accepted(role == .replica && state.type.hasSecrets ? diff.told(to: author.seat) : diff)
  }

  /// Carries out an operation, or throws before anything has changed.
  ///
  /// - Returns: Whether it makes a difference.
  private mutating func carryOut(
    _ kind: TableOperation.Kind, _ judging: inout Judging, _ memory: inout AuthorMemory
  ) throws(Refusal) -> Bool {
    switch kind {
    case .reorder(let difference, let suggested): try reorder(difference, suggested, &judging, &memory)
    case .insert(let items, let destination): try insert(items, destination, &judging, &memory)
    case .remove(let items): try remove(items, &judging, memory)
    case .update(let item, let attributes, let representations):
      try update(item, attributes, representations, &judging, memory)
    case .perform(let action, _, let destination) where Self.isForHost(action):
      try performForHost(action, destination, &judging)
    case .perform(let action, let items, _): try perform(action, items, &judging, memory)
    case .undo(let target): try undo(target, &judging, memory)
    case .unknown: throw Refusal(.operationNotSupported)
    }
  }

  /// What follows from a change by itself: the table's status, its revision.
  private mutating func conclude(_ judging: inout Judging) {
    if !state.type.endings.isEmpty {
      let context = RuleContext(seat: judging.author.seat)
      let ending = state.type.endings.first { state.holds($0.when, context) }
      if let status = ending?.status, status != state.status { set(status, &judging) }
    }
    state.revision = judging.revision
    if !judging.isFinal {
      undos.append(
        UndoWindow.Operation(
          revision: judging.revision, author: judging.author.session, sequence: judging.sequence,
          undoes: judging.undoes))
    }
    // What is only predicted must not push out of the window what is confirmed.
    if state.undoLog == nil { trimHistory() }
  }

  // MARK: Shape

  /// The items that an operation names, as far as they are on the table.
  struct Named {
    var slots: SlotList
    /// For each slot its position among the items named, where some are left out.
    var kept: [Int]?
    /// Others took off the table what the operation cannot do without.
    var isGone = false
  }

  /// The slots of the items that an operation names, without those that are gone.
  func resolve(_ items: ItemList, _ judging: Judging, _ memory: AuthorMemory) throws(Refusal) -> Named {
    guard !items.isEmpty else { throw Refusal(.emptySources, detail: "the operation names no item") }
    guard items.count <= itemsPerOperationMax else {
      throw Refusal(.tooManyItems, detail: "an operation names at most \(itemsPerOperationMax) items")
    }
    if items.count == 1 {
      let item = try own(items[0], judging, memory)
      let slot = state.slot(of: item, for: judging.author.seat)
      if slot >= 0 { return Named(slots: SlotList(slot)) }
      try checkGone([item], judging)
      return Named(slots: [], isGone: true)
    }
    var slots = SlotList()
    var kept: [Int] = []
    var missing: [ItemID] = []
    var seen = Set<ItemID>()
    for (position, named) in items.enumerated() {
      let item = try own(named, judging, memory)
      guard seen.insert(item).inserted else {
        throw Refusal(.duplicateSource, detail: "item \(named.rawValue) is named twice")
      }
      let slot = state.slot(of: item, for: judging.author.seat)
      guard slot >= 0 else {
        missing.append(item)
        continue
      }
      slots.append(slot)
      kept.append(position)
    }
    guard !missing.isEmpty else { return Named(slots: slots) }
    try checkGone(missing, judging)
    return Named(slots: slots, kept: kept, isGone: slots.isEmpty || !state.type.allowsPartialMoves)
  }

  /// The table's own id of an item, which may be named provisionally.
  private func own(_ item: ItemID, _ judging: Judging, _ memory: AuthorMemory) throws(Refusal) -> ItemID {
    guard item.isProvisional, state.index.slot(of: item) < 0 else { return item }
    guard item.provisionalOperation < judging.sequence else { throw Refusal(.unknownItem) }
    guard let made = memory.resolve(item) else {
      throw Refusal(.dependsOnRefused, detail: "the operation that was to make the item was refused")
    }
    return made
  }

  /// Refuses what was never on the table, as far as anyone remembers, and what the author itself took off it.
  private func checkGone(_ items: [ItemID], _ judging: Judging) throws(Refusal) {
    let seat = judging.author.seat
    let isGone = history.othersTookOut(
      items, since: judging.base, not: judging.author.session, where: { state.isOpen(Int($0), to: seat) })
    guard isGone else {
      throw Refusal(.unknownItem, detail: "an item is not on the table")
    }
  }

  func known(_ collection: CollectionHandle) throws(Refusal) -> Int {
    guard state.isKnown(collection) else {
      throw Refusal(.unknownCollection, detail: "the table has no collection \(collection.rawValue)")
    }
    return collection.index
  }

  // MARK: Standing

  @inline(__always) func checkStanding(_ judging: Judging) throws(Refusal) {
    try state.checkStanding(of: judging.author.seat)
  }

  /// Refuses to touch what another drags.
  @inline(__always) func checkClaims(_ slots: SlotList, _ judging: Judging) throws(Refusal) {
    guard !judging.claimed.isEmpty else { return }
    for slot in slots {
      guard let claim = judging.claimed[state.id(slot)], claim.session != judging.author.session,
        state.isClaimed(slot, claim)
      else { continue }
      throw Refusal(.claimed, detail: "another holds the item")
    }
  }

  @inline(__always) func checkEnabled(_ slots: SlotList) throws(Refusal) {
    for slot in slots { try state.checkEnabled(Int(state.records[slot].collection)) }
  }

  // MARK: Contention

  /// Refuses what others took off the table meanwhile.
  @inline(__always) func checkPresent(_ named: Named) throws(Refusal) {
    if named.isGone { throw Refusal(.contended, detail: "another took it off the table") }
  }

  /// Refuses to take what another took since the base, where the table type says that the first one wins.
  @inline(__always) func checkContention(_ slots: SlotList, _ judging: Judging) throws(Refusal) {
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

  /// Ids that do not tell when they were given: for items that only some are told of, and that others get to see later.
  mutating func mintUnordered(_ count: Int) -> [ItemID] {
    var ids: [ItemID] = []
    var known: Set<ItemID> = []
    while ids.count < count {
      let id = ItemID(rawValue: ItemID.unorderedBit | random.next() & (ItemID.unorderedBit - 1))
      if state.index.slot(of: id) < 0, known.insert(id).inserted { ids.append(id) }
    }
    return ids
  }

  // MARK: Memory

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

extension AuthorMemory {
  /// Notes that nothing that `operation` would have moved is where its author sees it.
  mutating func displace(_ operation: TableOperation, at revision: Revision) {
    switch operation.kind {
    case .reorder(let difference, _): displace(difference.sources, by: operation.sequence, at: revision)
    case .remove(let items), .perform(_, let items, _): displace(items, by: operation.sequence, at: revision)
    case .insert, .update, .undo, .unknown: break
    }
  }
}
