/// A diff or a snapshot that does not fit the state it came to. The replica takes a snapshot instead of guessing.
public struct DiffMismatch: Error, Hashable, Sendable {
  public let detail: String

  init(_ detail: String) { self.detail = detail }
}

extension Table {
  /// Applies a diff that the authority made.
  ///
  /// - Throws: A ``DiffMismatch`` where the diff does not follow the state or names what is not there. The state may have
  ///   taken in a part of the diff by then and is good for nothing but to be replaced.
  /// - Complexity: O(k log n) for k items in the diff.
  public mutating func apply(_ diff: Diff) throws(DiffMismatch) {
    guard diff.revision == state.revision.next else {
      throw DiffMismatch("diff \(diff.revision.rawValue) does not follow revision \(state.revision.rawValue)")
    }
    var isPlain = role == .replica && diff.author != .daemon && !state.type.hasSecrets
    for index in diff.changes.indices {
      isPlain = isPlain && isPlainly(diff.changes[index], of: diff)
      // How things look to those who may not see them is not how they are.
      if case .except = diff.audience(at: index) { continue }
      try apply(diff.changes[index], of: diff)
    }
    state.revision = diff.revision
    let foreseen = undos.takenBack.flatMap { own in
      own.author == diff.author && own.sequence == diff.sequence && own.revision == diff.revision ? own : nil
    }
    if isPlain || foreseen != nil {
      undos.append(
        UndoWindow.Operation(
          revision: diff.revision, author: diff.author, sequence: diff.sequence, undoes: foreseen?.undoes ?? .zero))
    }
    trimHistory()
  }

  /// Whether a replica can tell from a change that the authority lets it be undone: that nothing was shown or hidden.
  private func isPlainly(_ change: Change, of diff: Diff) -> Bool {
    switch change {
    case .moved, .status, .variables: true
    case .inserted: !diff.minted.isEmpty && diff.operation != .copy
    case .removed: diff.operation == .delete
    case .faced(let items):
      // What is seen was known before; what has just come to lie open was not.
      items.allSatisfy { item in
        let isSeen = item.sight != .nobody
        return state.isFaceUp(item.id) == isSeen && (!isSeen || state.face(of: item.id) != nil)
      }
    case .enabled, .counted, .seats: false
    }
  }

  private mutating func apply(_ change: Change, of diff: Diff) throws(DiffMismatch) {
    switch change {
    case .moved(let items, let destination): try applyMove(items, destination, diff)
    case .inserted(let items, let destination):
      let (collection, anchor) = try place(destination)
      for item in items {
        let slot = try state.create(item, in: collection, at: diff.revision, by: diff.author, for: role)
        undos.note(.made(item.id), at: diff.revision)
        state.put(slot, in: collection, before: anchor)
      }
    case .removed(let items):
      let slots = try slots(items)
      noteTakeOuts(slots, isAsAsked: !diff.isRedirected, diff.author, diff.revision)
      for slot in slots {
        undos.note(.ended(state.id(slot), state.appearance(slot)), at: diff.revision)
        state.take(slot)
        state.destroy(slot)
      }
    case .faced(let items):
      for item in items { try applyFace(item, at: diff.revision) }
    case .status(let status):
      undos.note(.status(state.status), at: diff.revision)
      state.setStatus(status)
    case .enabled(let collection, let isEnabled): state.setEnabled(try index(of: collection), isEnabled)
    case .counted(let collection, let count): try applyCount(index(of: collection), count)
    case .variables(let variables):
      for variable in variables {
        undos.note(.variable(Attribute(name: variable.name, value: state.variable(variable.name))), at: diff.revision)
        state.set(variable)
      }
    case .seats(let seats): state.setSeats(seats)
    }
  }

  private mutating func applyCount(_ collection: Int, _ count: Int) throws(DiffMismatch) {
    let toldCount = state.forest.count(state.root(collection))
    guard state.kind(of: collection).isPrivate, toldCount == 0, count >= 0 else {
      throw DiffMismatch("a diff counts what the viewer sees")
    }
    state.setUntoldCount(collection, count)
  }

  private mutating func applyMove(_ items: ItemList, _ destination: Destination, _ diff: Diff) throws(DiffMismatch) {
    let slots = try slots(items)
    let (collection, anchor) = try place(destination)
    guard !slots.contains(anchor) else { throw DiffMismatch("a block is to stand before one of its own items") }
    noteTakeOuts(slots, isAsAsked: !diff.isRedirected, diff.author, diff.revision)
    for slot in slots { state.take(slot) }
    let faces = state.kind(of: collection).faces
    for slot in slots {
      state.put(slot, in: collection, before: anchor)
      state.stamp(slot, at: diff.revision, by: diff.author)
      state.setUp(slot, faces.lies(state.records[slot].isUp))
    }
  }

  private mutating func applyFace(_ item: Item, at revision: Revision) throws(DiffMismatch) {
    let slot = try slots([item.id])[0]
    noteAppearance(slot, at: revision)
    let isSeen = item.sight != .nobody
    let isKnown = isSeen || role == .authority
    let faces = state.kind(of: Int(state.records[slot].collection)).faces
    state.setFace(slot, isKnown ? item.face : Face())
    state.setLie(slot, isUp: faces.lies(isSeen), isFaceKnown: isKnown, isPinned: item.isPinned)
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

  private func place(_ destination: Destination) throws(DiffMismatch) -> (collection: Int, anchor: Int32) {
    let collection = try index(of: destination.collection)
    guard case .before(let item) = destination.position else { return (collection, -1) }
    let anchor = state.index.slot(of: item)
    guard anchor >= 0, Int(state.records[anchor].collection) == collection else {
      throw DiffMismatch("a diff names the anchor \(item.rawValue), which is not in the collection")
    }
    return (collection, anchor)
  }

  private func index(of collection: CollectionHandle) throws(DiffMismatch) -> Int {
    guard state.isKnown(collection) else { throw DiffMismatch("a diff names collection \(collection.rawValue)") }
    return collection.index
  }
}

extension Table {
  /// From here on every change is recorded, so that it can be taken back: what follows is only predicted.
  public mutating func beginPrediction() {
    if state.undoLog == nil { state.undoLog = [] }
  }

  /// Makes the first steps of the prediction last: the authority has done, at `revision`, just what they foresaw.
  public mutating func confirmPrediction(steps: Int, at revision: Revision) {
    state.undoLog?.removeFirst(steps)
    // A step-less prediction behind it, of a diff without changes, has moved the revision all the same.
    if state.undoLog?.isEmpty == true, state.revision == revision { state.undoLog = nil }
    history.trim(at: revision)
    undos.trim(to: history.oldestBase)
  }

  /// Takes back everything since the prediction began, when the table stood at `revision`, and ends the prediction.
  ///
  /// - Complexity: O(k log n) for k changes taken back.
  public mutating func takeBackPrediction(to revision: Revision) {
    guard state.undoLog != nil else { return }
    state.takeBack()
    state.undoLog = nil
    state.revision = revision
    history.takeBack(to: revision)
    undos.takeBack(to: revision)
  }
}

extension TableState {
  /// Makes an item as a diff or a snapshot tells of it, in no collection yet. What the authority restores has its face even
  /// where nobody sees it.
  mutating func create(
    _ item: Item, in collection: Int, at revision: Revision, by author: SessionID, for role: Table.Role
  ) throws(DiffMismatch) -> Int32 {
    guard item.id != .none, !item.id.isProvisional, index.slot(of: item.id) < 0 else {
      throw DiffMismatch("item \(item.id.rawValue) is new, and there already")
    }
    let isSeen = item.sight != .nobody
    let isKnown = isSeen || role == .authority
    let record = ItemRecord(
      id: item.id, placed: revision, placedBy: author, isUp: kind(of: collection).faces.lies(isSeen),
      isFaceKnown: isKnown, isPinned: item.isPinned)
    if item.id.rawValue < ItemID.unorderedBit { nextID = max(nextID, item.id.rawValue + 1) }
    return create(item.id, face: isKnown ? item.face : Face(), record: record)
  }
}

/// Builds a state from a snapshot that comes in parts.
public struct StateLoader: Sendable {
  private var state: TableState
  private var slots: [[Int32]]
  /// How many items each collection is said to hold.
  private var counts: [Int]
  private let role: Table.Role

  /// An empty table of `type`.
  ///
  /// - Parameter role: For whom it is: the authority's items have faces that nobody sees.
  public init(type: TableType, for role: Table.Role = .replica) {
    self.role = role
    state = TableState(type: type)
    slots = type.collections.map { _ in [] }
    counts = type.collections.map { _ in 0 }
  }

  /// Adds items, in order, collection by collection.
  public mutating func add(_ items: [Item]) throws(DiffMismatch) {
    for item in items {
      guard state.isKnown(item.collection) else {
        throw DiffMismatch("a snapshot names collection \(item.collection.rawValue)")
      }
      let collection = item.collection.index
      let slot = try state.create(item, in: collection, at: .zero, by: .daemon, for: role)
      state.setCollection(slot, Int32(collection))
      slots[collection].append(slot)
    }
  }

  /// Sets whether a collection is in use, and how many items it holds, of which the viewer may be told none.
  public mutating func describe(_ collection: CollectionHandle, isEnabled: Bool, count: Int) throws(DiffMismatch) {
    guard state.isKnown(collection), count >= 0 else {
      throw DiffMismatch("a snapshot names collection \(collection.rawValue)")
    }
    state.setEnabled(collection.index, isEnabled)
    counts[collection.index] = count
  }

  /// The state with all items in their places.
  ///
  /// - Complexity: O(n).
  public consuming func finish(
    revision: Revision, status: String, variables: [Attribute], seats: [Seat]
  ) -> TableState {
    for (collection, slots) in slots.enumerated() {
      state.collections[collection].root = state.forest.build(slots[...])
      if slots.isEmpty, state.kind(of: collection).isPrivate {
        state.collections[collection].untoldCount = counts[collection]
      }
    }
    state.revision = revision
    state.setStatus(status)
    state.variables = []
    for variable in variables { state.set(variable) }
    state.setSeats(seats)
    return state
  }
}

extension Table {
  /// The items that predicted operations have put somewhere or made.
  public var predictedItems: Set<ItemID> {
    var items: Set<ItemID> = []
    for case .put(let slot) in state.undoLog ?? [] { items.insert(state.id(slot)) }
    return items
  }

  /// The ids that steps of the prediction have touched in any way, whether they are on the table now or not.
  public var touchedItems: Set<ItemID> { touchedItems(from: 0) }

  /// How many steps the prediction has taken.
  public var predictedSteps: Int { state.undoLog?.count ?? 0 }

  /// The ids that were touched from a step of the prediction on.
  public func touchedItems(from first: Int) -> Set<ItemID> {
    var items: Set<ItemID> = []
    for step in (state.undoLog ?? []).dropFirst(first) {
      switch step {
      case .taken(let slot, _, _), .put(let slot), .created(let slot), .faced(let slot, _): items.insert(state.id(slot))
      case .destroyed(_, let record, _), .recorded(_, let record): items.insert(record.id)
      case .named(let slot, let id): items.formUnion([id, state.id(slot)])
      case .status, .variables, .seats, .enabled, .counted: break
      }
    }
    return items
  }

  /// Learns, in a replica, that an operation was refused: nothing that it would have moved is where its author saw it.
  public func learnRefusal(of operation: TableOperation, at revision: Revision, memory: inout AuthorMemory) {
    memory.advance(to: operation)
    memory.refuse(operation.sequence)
    if !copies(operation, memory) { memory.displace(operation, at: revision) }
  }

  /// An operation in the words of the present state: ids that the table knows, and the gap where it is now.
  ///
  /// For operations that were not judged and are sent again on a fresh base. What cannot be said in the present state is
  /// left as it was: the authority will refuse it.
  public func reexpressed(_ operation: TableOperation, by author: Author, memory: AuthorMemory) -> TableOperation.Kind {
    let judging = Judging(
      sequence: operation.sequence, author: author, base: min(max(operation.base, history.oldestBase), state.revision),
      revision: state.revision.next,
      diff: Diff(revision: state.revision.next, author: author.session, sequence: operation.sequence))
    // What its author knew when it was made is no surprise now.
    var memory = memory
    memory.advance(to: operation)
    switch operation.kind {
    case .reorder(var difference, let suggested):
      difference.sources = ItemList(difference.sources.map { known($0, memory) })
      difference.destination = here(difference.destination, judging, memory)
      return .reorder(difference, suggested: suggested)
    case .insert(let items, let destination): return .insert(items, here(destination, judging, memory))
    case .remove(let items): return .remove(ItemList(items.map { known($0, memory) }))
    case .update(let item, let attributes, let representations):
      return .update(known(item, memory), attributes: attributes, representations: representations)
    case .perform(let action, let items, let destination):
      return .perform(action: action, items: ItemList(items.filter(state.contains)), destination)
    case .undo, .unknown: return operation.kind
    }
  }

  private func known(_ item: ItemID, _ memory: AuthorMemory) -> ItemID {
    item.isProvisional && !state.contains(item) ? memory.resolve(item) ?? item : item
  }

  private func here(_ destination: Destination, _ judging: Judging, _ memory: AuthorMemory) -> Destination {
    var here = destination
    // What stood behind the anchor then says nothing of the present state; whoever sends this finds it anew.
    here.then = .none
    do throws(Refusal) {
      let landing = try rebase(destination, judging, memory)
      here.position = Position(anchor: state.id(landing.anchor))
    } catch {
      // The anchor is gone without a trace: what stood behind it serves, then the end.
      let then = known(destination.then, memory)
      let stands = state.collection(of: then) == destination.collection
      here.position = stands ? .before(then) : .end
    }
    return here
  }
}
