/// The actions that a table type names.
extension Table {
  mutating func perform(
    _ name: String, _ items: ItemList, _ judging: inout Judging, _ memory: AuthorMemory
  ) throws(Refusal) -> Bool {
    guard let action = state.type.actions.first(where: { $0.name == name }) else {
      throw Refusal(.unknownAction, detail: "the table type has no such action")
    }
    // Asking for items is asking for one at least; naming what one contends for is optional.
    let needsItems = action.items == .subject
    let named = needsItems || !items.isEmpty ? try resolve(items, judging, memory) : Named(slots: [])
    let slots = named.slots
    try checkStanding(judging)
    try state.checkRights(performing: action, on: slots, by: judging.author.seat)
    try checkEnabled(slots)
    try checkClaims(slots, judging)
    try checkPresent(named)
    try checkShowable(slots)
    let touchesPrivate = slots.contains { state.kind(of: Int(state.records[$0].collection)).isPrivate }
    var context = RuleContext(sourcesCount: slots.count, seat: judging.author.seat)
    for slot in slots {
      context.item = .slot(slot)
      context.source = Int(state.records[slot].collection)
      try state.check(action.each, context)
    }
    context.item = .nothing
    context.source = -1
    guard let branch = action.cases.first(where: { state.holds($0.when, context) }) else { throw action.otherwise }
    try state.check(branch.require, context)
    for step in branch.steps { try checkEnabled(step, judging.author.seat) }
    try checkContention(slots, judging)
    if role == .replica { try checkPredictable(branch.steps, judging) }
    for step in branch.steps { try carryOut(step, on: slots, context, &judging) }
    return touchesPrivate || !judging.diff.changes.isEmpty
  }

  /// Items that an action would take first, named so that two who ask for it at once do not both get their way.
  ///
  /// - Returns: What ``TableOperation/Kind/perform(action:items:_:)`` should name; empty for actions that take nothing
  ///   off a collection's end.
  public func contendedItems(of action: String, by seat: SeatNumber) -> ItemList {
    let context = RuleContext(seat: seat)
    guard let action = state.type.actions.first(where: { $0.name == action }), action.items == .contended,
      let branch = action.cases.first(where: { state.holds($0.when, context) })
    else { return [] }
    var items = ItemList()
    for step in branch.steps {
      guard case .deal(let from, _, _)? = step.bound(to: seat) else { continue }
      if let last = state.lastItem(in: from), !last.isProvisional { items.append(last) }
    }
    return items
  }

  func checkEnabled(_ step: Action.Step, _ seat: SeatNumber) throws(Refusal) {
    switch step {
    case .deal(let from, let to, _):
      try state.checkEnabled(from.index)
      try state.checkEnabled(to.index)
    case .shuffle(let collection): try state.checkEnabled(collection.index)
    case .own: if let own = step.bound(to: seat) { try checkEnabled(own, seat) }
    case .turn, .pin, .set, .passTurn: break
    }
  }

  /// Refuses, before anything has changed, what a replica cannot foresee.
  ///
  /// - Parameter moved: How many items move before the first step.
  func checkPredictable(_ steps: [Action.Step], _ judging: Judging, moved: Int = 0) throws(Refusal) {
    var names = judging.provisionalCount + moved
    // What was moved, and what earlier steps have dealt, may be dealt again.
    var dealt = moved
    for step in steps {
      switch step.bound(to: judging.author.seat) {
      case .shuffle: throw Judging.unpredictable
      case .deal(let from, let to, _):
        guard state.isOpen(from.index, to: judging.author.seat) else { throw Judging.unpredictable }
        dealt = min(dealt + state.count(in: from), state.itemCount)
        let kind = state.kind(of: to.index)
        if kind.isSecret || !kind.faces.lies(true) { names += dealt }
      case .turn, .pin, .set, .passTurn, .own, nil: break
      }
    }
    if names > ItemID.provisionalNumbersMax { throw Judging.unpredictable }
  }

  mutating func carryOut(
    _ step: Action.Step, on slots: SlotList, _ context: RuleContext, _ judging: inout Judging
  ) throws(Refusal) {
    switch step {
    case .deal(let from, let to, let count): try deal(from.index, to.index, count, context, &judging)
    case .shuffle(let collection): shuffle(collection.index, &judging)
    case .turn(let isUp): turn(slots, isUp, &judging)
    case .pin(let isPinned): pin(slots, isPinned, &judging)
    case .passTurn: passTurn(&judging)
    case .own:
      if let own = step.bound(to: judging.author.seat) { try carryOut(own, on: slots, context, &judging) }
    case .set(let name, let term):
      let attribute = Attribute(name: name, value: state.value(term, context))
      guard attribute.value != state.variable(name) else { return }
      set(attribute, &judging)
    }
  }

  /// Takes items off one collection's end, one by one, and puts each on another's.
  private mutating func deal(
    _ from: Int, _ to: Int, _ count: Term?, _ context: RuleContext, _ judging: inout Judging
  ) throws(Refusal) {
    var remaining = state.forest.count(state.root(from))
    if let count {
      guard case .number(let number) = state.value(count, context) else { return }
      remaining = Int(min(Int64(remaining), max(0, number)))
    }
    var slots = SlotList()
    var slot = state.forest.last(in: state.root(from))
    while remaining > 0, slot >= 0 {
      slots.append(slot)
      slot = state.forest.previous(slot)
      remaining -= 1
    }
    guard !slots.isEmpty else { return }
    try move(slots, to: to, before: -1, isAsAsked: true, &judging)
    turnExposed(in: InlineList(from), &judging)
  }

  /// Puts a collection into a random order under new ids.
  private mutating func shuffle(_ collection: Int, _ judging: inout Judging) {
    var slots: [Int32] = []
    var slot = state.forest.first(in: state.root(collection))
    while slot >= 0 {
      slots.append(slot)
      slot = state.forest.next(slot)
    }
    guard slots.count > 1 else { return }
    noteTakeOuts(SlotList(slots), isAsAsked: true, judging.author.session, judging.revision)
    judging.isFinal = true
    _ = takeOut(SlotList(slots), &judging)
    let ids = state.kind(of: collection).isPrivate ? mintUnordered(slots.count) : mint(slots.count, for: .zero)
    random.shuffle(&slots)
    for (position, slot) in slots.enumerated() {
      state.put(slot, in: collection, before: -1)
      state.stamp(slot, at: judging.revision, by: judging.author.session)
      state.rename(slot, to: ids[position])
      undos.note(.made(ids[position]), at: judging.revision)
    }
    tellInserted(slots.map(state.item), .end(of: CollectionHandle(index: collection)), &judging)
  }

  private mutating func turn(_ slots: SlotList, _ isUp: Bool, _ judging: inout Judging) {
    var turned: [Item] = []
    for slot in slots where state.records[slot].isUp != isUp {
      guard state.kind(of: Int(state.records[slot].collection)).faces.lies(isUp) == isUp else { continue }
      noteAppearance(slot, at: judging.revision)
      if isUp { judging.isFinal = true }
      state.setUp(slot, isUp)
      turned.append(state.item(slot))
    }
    if !turned.isEmpty { tellFaced(turned, &judging) }
  }

  private mutating func pin(_ slots: SlotList, _ isPinned: Bool, _ judging: inout Judging) {
    var pinned: [Item] = []
    for slot in slots where state.records[slot].isPinned != isPinned {
      let record = state.records[slot]
      noteAppearance(slot, at: judging.revision)
      state.setLie(slot, isUp: record.isUp, isFaceKnown: record.isFaceKnown, isPinned: isPinned)
      pinned.append(state.item(slot))
    }
    if !pinned.isEmpty { tellFaced(pinned, &judging) }
  }
}
