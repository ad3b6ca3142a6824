/// An error: a diff or a snapshot does not fit the state. The replica requests a snapshot instead of guessing.
public struct DiffMismatch: Error, Hashable, Sendable {
  /// A sentence for people about the first mismatch.
  public let detail: String

  init(_ detail: String) { self.detail = detail }
}

extension Table {
  /// Applies a diff that the authority made.
  ///
  /// - Throws: A ``DiffMismatch`` if the diff does not follow the state or names unknown items or collections. A part
  ///   of it may have been applied: the state is valid, but must be replaced.
  /// - Complexity: O(k log n) for k items in the diff.
  public mutating func apply(_ diff: Diff) throws(DiffMismatch) {
    guard diff.revision == state.revision.next else {
      throw DiffMismatch("diff \(diff.revision.rawValue) does not follow revision \(state.revision.rawValue)")
    }
    var isPlain = role == .replica && diff.author != .daemon && !state.type.hasSecrets
    for index in diff.changes.indices {
      isPlain = isPlain && isPlainly(diff.changes[index], of: diff)
      // Skips the form of a change for viewers that may not see the true one.
      if case .except = diff.audience(at: index) { continue }
      try apply(diff.changes[index], of: diff)
    }
    // A daemon can have sent anything; what a journal restores must keep the rules.
    if role == .authority, !state.aliases.isEmpty { try checkAliases(in: diff) }
    state.revision = diff.revision
    let predicted = undos.rolledBack.flatMap { operation in
      operation.author == diff.author && operation.sequence == diff.sequence && operation.revision == diff.revision
        ? operation : nil
    }
    if isPlain || predicted != nil {
      undos.append(
        UndoWindow.Operation(
          revision: diff.revision, author: diff.author, sequence: diff.sequence, undoes: predicted?.undoes ?? .zero))
    }
    trimHistory()
  }

  private func checkAliases(in diff: Diff) throws(DiffMismatch) {
    for change in diff.changes {
      switch change {
      case .moved(let items, _), .removed(let items): try state.checkAliases(of: items)
      case .inserted(let items, _), .faced(let items): try state.checkAliases(of: items.map(\.id))
      case .status, .enabled, .counted, .variables, .seats: break
      }
    }
  }

  /// Returns whether a replica can tell from a change that the authority allows its undo: nothing was revealed or
  /// hidden.
  private func isPlainly(_ change: Change, of diff: Diff) -> Bool {
    switch change {
    case .moved, .status, .variables: true
    case .inserted: !diff.minted.isEmpty && diff.operation != .copy
    case .removed: diff.operation == .delete
    case .faced(let items):
      // A visible face was known before, and was not just turned up.
      items.allSatisfy { item in
        let isSeen = item.visibility != .nobody
        return state.isFaceUp(item.id) == isSeen && (!isSeen || state.face(of: item.id) != nil)
      }
    case .enabled, .counted, .seats: false
    }
  }

  private mutating func apply(_ change: Change, of diff: Diff) throws(DiffMismatch) {
    switch change {
    case .moved(let items, let placement): try applyMove(items, placement, diff)
    case .inserted(let items, let placement):
      let (collection, anchor) = try resolve(placement)
      // An item that returns through an undo has a history.
      let isReturning = items.contains { $0.id.rawValue < state.nextID || $0.id.isPrivate }
      let latest = isReturning ? history.latestTakeOuts(of: items.map(\.id)) : [:]
      var slots = SlotList()
      do throws(DiffMismatch) {
        for item in items {
          let slot = try state.create(item, in: collection, at: diff.revision, by: diff.author, for: role)
          if role == .authority { privateIDs.skip(item.id) }
          if let number = latest[item.id] { state.setLastTakeOut(slot, number) }
          undos.note(.made(item.id), at: diff.revision)
          slots.append(slot)
        }
      } catch {
        // Those that did fit are on the table until the snapshot comes, and must be somewhere.
        if !slots.isEmpty { settle(slots, in: collection, before: anchor, placement, diff) }
        throw error
      }
      if !slots.isEmpty { settle(slots, in: collection, before: anchor, placement, diff) }
    case .removed(let items):
      let slots = try slots(items)
      try checkOpened(by: slots)
      recordTakeOuts(slots, diff.author, diff.revision)
      for slot in slots {
        undos.note(.ended(state.id(slot), state.appearance(slot)), at: diff.revision)
        state.take(slot)
      }
      for slot in slots { state.destroy(slot) }
    case .faced(let items):
      for item in items { try applyFace(item, at: diff.revision) }
    case .status(let status):
      undos.note(.status(state.status), at: diff.revision)
      state.setStatus(status)
    case .enabled(let collection, let isEnabled): state.setEnabled(try knownIndex(of: collection), isEnabled)
    case .counted(let collection, let count): try applyCount(knownIndex(of: collection), count)
    case .variables(let variables):
      try state.checkVariables(adding: variables.count, for: role)
      for variable in variables {
        undos.note(.variable(Attribute(name: variable.name, value: state.variable(variable.name))), at: diff.revision)
        state.set(variable)
      }
    case .seats(let seats): state.setSeats(seats)
    }
  }

  /// Refuses the removal of an item whose collection would keep items. It is checked before anything is taken out: what a
  /// change has done until it is found wrong stays visible until the snapshot comes, and must be a valid table.
  private func checkOpened(by slots: SlotList) throws(DiffMismatch) {
    guard state.openedCount > 0 else { return }
    var leaving: [Int: Int] = [:]
    for slot in slots { leaving[state.collection(slot), default: 0] += 1 }
    for slot in slots where state.opens(slot) >= 0 {
      guard state.count(state.opens(slot)) == leaving[state.opens(slot), default: 0] else {
        throw DiffMismatch("a diff removes item \(state.id(slot).rawValue), whose collection has items")
      }
    }
  }

  private mutating func applyCount(_ collection: Int, _ count: Int) throws(DiffMismatch) {
    let visibleCount = state.forest.count(state.root(collection))
    guard state.kind(of: collection).isPrivate, visibleCount == 0, count >= 0 else {
      throw DiffMismatch("a diff counts what the viewer sees")
    }
    state.setHiddenCount(collection, count)
  }

  private mutating func applyMove(_ items: ItemList, _ placement: Placement, _ diff: Diff) throws(DiffMismatch) {
    let slots = try slots(items)
    let (collection, anchor) = try resolve(placement)
    guard !slots.contains(anchor) else { throw DiffMismatch("a block is to be put before one of its own items") }
    let opened = state.kind(of: collection).opens?.kind
    guard slots.allSatisfy({ state.kind(of: state.collection($0)).opens?.kind == opened }) else {
      throw DiffMismatch("a diff moves an item to where items open other collections")
    }
    recordTakeOuts(slots, diff.author, diff.revision)
    for slot in slots { state.take(slot) }
    settle(slots, in: collection, before: anchor, placement, diff)
    let faces = state.kind(of: collection).faces
    for slot in slots { state.setFaceUp(slot, faces.isFaceUp(state.forest.records[slot].isFaceUp)) }
  }

  /// Puts the items of a change, which are in no collection, where it says: before the vacant position that it names, if that is
  /// known here, or else before the anchor. What an undo returns stands directly behind the position that it had left (N5).
  private mutating func settle(
    _ slots: SlotList, in collection: Int, before anchor: Int32, _ placement: Placement, _ diff: Diff
  ) {
    var place = Place.before(anchor)
    if let gone = placement.gone, let number = vacancy(gone, before: anchor, in: collection) {
      place = .before(.vacancy(number))
    }
    if diff.operation == .cancel, diff.author != .daemon,
      let left = positionsLeft(by: slots, at: place, in: collection, before: diff.revision)
    {
      return settle(slots, in: collection, at: .returning(left), diff.author, diff.revision)
    }
    settle(slots, in: collection, at: place, by: diff.author, diff.revision)
  }

  /// Returns the number of a vacant position of the chain in front of an item; `nil` if it is not known here.
  private func vacancy(_ gone: Vacancy, before anchor: Int32, in collection: Int) -> Int? {
    let slot = state.index.slot(of: gone.item)
    var number = latestTakeOut(of: gone.item, slot, since: Revision(rawValue: gone.revision.rawValue &- 1))
    while let takeOut = history[number], takeOut.revision > gone.revision { number = takeOut.previous }
    guard let takeOut = history[number], takeOut.revision == gone.revision, Int(takeOut.collection) == collection,
      let index = history.index(of: number), history.owner(index) == anchor
    else { return nil }
    return number
  }

  /// Returns the numbers of the positions that items had left before a revision, if the last one is directly in front of a place
  /// and the others in front of it, in the order of the items.
  private func positionsLeft(
    by slots: SlotList, at place: Place, in collection: Int, before revision: Revision
  ) -> [Int]? {
    var left: [Int] = []
    var position = place.position
    for slot in slots.reversed() {
      let item = state.id(slot)
      var isFound = false
      for step in 0..<TableLimits.positionsPerGapMax {
        position = previous(position, in: collection)
        guard case .vacancy(let number) = position, let takeOut = history[number] else { return nil }
        isFound = takeOut.item == item && takeOut.revision < revision
        if isFound { left.append(number) }
        if isFound || (left.isEmpty && step == 0) { break }
      }
      guard isFound else { return nil }
    }
    return left.reversed()
  }

  private mutating func applyFace(_ item: Item, at revision: Revision) throws(DiffMismatch) {
    let slot = try slots([item.id])[0]
    try state.checkSize(adding: 0, for: role)
    // The face of an alias is its item's: it does not change by itself.
    if !state.isAlias(slot) || state.forest.records[slot].isPinned != item.isPinned {
      noteAppearance(slot, at: revision)
    }
    let isSeen = item.visibility != .nobody
    guard isSeen || !state.isAlias(slot) else {
      throw DiffMismatch("a diff hides item \(item.id.rawValue), an alias")
    }
    let isKnown = isSeen || role == .authority
    let faces = state.kind(of: state.collection(slot)).faces
    state.setFace(slot, isKnown ? item.face : Face())
    state.setAppearance(slot, isFaceUp: faces.isFaceUp(isSeen), isFaceKnown: isKnown, isPinned: item.isPinned)
  }

  private func slots(_ items: ItemList) throws(DiffMismatch) -> SlotList {
    var slots = SlotList()
    for item in items {
      let slot = state.index.slot(of: item)
      guard slot >= 0 else { throw DiffMismatch("a diff names item \(item.rawValue), which is not there") }
      slots.append(slot)
    }
    guard !slots.isEmpty, slots.count == 1 || Set(slots).count == slots.count else {
      throw DiffMismatch("a change names no item, or one twice")
    }
    return slots
  }

  private func resolve(_ placement: Placement) throws(DiffMismatch) -> (collection: Int, anchor: Int32) {
    let collection = try knownIndex(of: placement.collection)
    guard case .before(let item) = placement.position else { return (collection, -1) }
    let anchor = state.index.slot(of: item)
    guard anchor >= 0, state.collection(anchor) == collection else {
      throw DiffMismatch("a diff names the anchor \(item.rawValue), which is not in the collection")
    }
    return (collection, anchor)
  }

  private func knownIndex(of collection: CollectionHandle) throws(DiffMismatch) -> Int {
    let index = state.index(of: collection)
    guard index >= 0 else { throw DiffMismatch("a diff names collection \(collection.rawValue)") }
    return index
  }
}

extension TableState {
  /// Creates an item as a diff or a snapshot describes it, in no collection yet. An item that the authority restores
  /// has its face even if nobody may see it.
  mutating func create(
    _ item: Item, in collection: Int, at revision: Revision, by author: SessionID, for role: Table.Role
  ) throws(DiffMismatch) -> Int32 {
    guard item.id.isOfTable, index.slot(of: item.id) < 0 else {
      throw DiffMismatch("item \(item.id.rawValue) is inserted and already on the table")
    }
    try checkSize(adding: 1, for: role)
    if item.aliasOf != .none { try checkAlias(item) }
    let opening = try opening(of: item, in: collection)
    let isSeen = item.visibility != .nobody
    let isKnown = isSeen || role == .authority
    let record = ItemRecord(
      id: item.id, placed: revision, placedBy: author, isFaceUp: kind(of: collection).faces.isFaceUp(isSeen),
      isFaceKnown: isKnown, isPinned: item.isPinned, aliasOf: item.aliasOf)
    if !item.id.isPrivate { nextID = max(nextID, item.id.rawValue + 1) }
    let slot = create(item.id, face: isKnown ? item.face : Face(), record: record)
    if let opening { open(item.opens.index, of: opening.kind, by: slot) }
    return slot
  }

  /// Aliases are where everyone sees all faces.
  private func checkAlias(_ item: Item) throws(DiffMismatch) {
    guard item.aliasOf.isOfTable, item.aliasOf != item.id, item.visibility != .nobody,
      aliases.aliases(of: item.aliasOf).count < TableLimits.aliasesPerItemMax
    else { throw DiffMismatch("item \(item.id.rawValue) is an alias of item \(item.aliasOf.rawValue)") }
  }

  /// Returns what an item opens where it is put; `nil` if nothing.
  private func opening(of item: Item, in collection: Int) throws(DiffMismatch) -> Opening? {
    let opening = kind(of: collection).opens
    guard opening != nil || item.opens != .none else { return nil }
    let index = item.opens.index
    let first = type.collections.count
    guard let opening, index >= first, index < first + TableLimits.openedHandlesMax,
      index >= collections.count || isGone(index)
    else { throw DiffMismatch("item \(item.id.rawValue) opens collection \(item.opens.rawValue)") }
    return opening
  }

  /// Refuses what a daemon sends beyond the memory that a client has for a table. An authority has limits of its own.
  fileprivate func checkSize(adding items: Int, for role: Table.Role) throws(DiffMismatch) {
    guard role == .replica else { return }
    guard itemCount + items <= TableLimits.itemsPerTableMax, contentBytes <= ClientLimits.contentBytesMax else {
      throw DiffMismatch("the table is larger than a client accepts")
    }
  }

  func checkVariables(adding count: Int, for role: Table.Role) throws(DiffMismatch) {
    guard role == .authority || variables.count + count <= ClientLimits.variablesMax else {
      throw DiffMismatch("the table has more variables than a client accepts")
    }
  }
}
