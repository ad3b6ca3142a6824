/// The steps of actions and consequences. Each step evaluates its terms when it is carried out.
extension Table {
  mutating func carryOut(
    _ step: Action.Step, on slots: SlotList, _ context: RuleContext, _ builder: inout DiffBuilder
  ) {
    switch step {
    case .deal(let from, let to, let count): deal(from.index, to.index, count, context, &builder)
    case .shuffle(let collection): shuffle(collection.index, &builder)
    case .turn(let isFaceUp): turn(slots, isFaceUp, &builder)
    case .pin(let isPinned): pin(slots, isPinned, &builder)
    case .passTurn: passTurn(&builder)
    case .bySeat:
      if let bound = step.bound(to: context.seat) { carryOut(bound, on: slots, context, &builder) }
    case .when(let predicate, let steps):
      guard state.holds(predicate, context) else { return }
      for step in steps { carryOut(step, on: slots, context, &builder) }
    case .acting(let actor, let steps):
      for seat in state.seats(of: actor, context) {
        var context = context
        context.seat = seat
        for step in steps { carryOut(step, on: slots, context, &builder) }
      }
    case .set(let name, let term):
      let attribute = Attribute(name: name, value: state.value(term, context))
      guard attribute.value != state.variable(name) else { return }
      set(attribute, &builder)
    }
  }

  /// Takes items off the end of one collection, one by one, and puts each at the end of another.
  private mutating func deal(
    _ from: Int, _ to: Int, _ count: Term?, _ context: RuleContext, _ builder: inout DiffBuilder
  ) {
    var remaining = builder.stepItemsLeft
    if let count {
      guard case .number(let number) = state.value(count, context) else { return }
      remaining = Int(min(Int64(remaining), max(0, number)))
    }
    let showsFaces = state.type.faceBytes != nil && state.contentBytes > TableLimits.operationFaceBytesMax
    var slots = state.lastSlots(remaining, in: from, bytesMax: showsFaces ? builder.stepBytesLeft : .max)
    if !state.aliases.isEmpty, !state.kind(of: to).isOpen { slots = limitAliases(of: slots, &builder) }
    guard !slots.isEmpty else { return }
    builder.stepItemsLeft -= slots.count
    if showsFaces { builder.stepBytesLeft -= state.shownBytes(of: slots) }
    move(slots, to: to, at: .block(.before(.boundary)), &builder)
    turnExposed(in: .one(from), &builder)
  }

  /// Puts a collection into a random order under new ids.
  private mutating func shuffle(_ collection: Int, _ builder: inout DiffBuilder) {
    if !state.aliases.isEmpty, state.forest.count(state.root(collection)) > 1 {
      guard endAliases(ofItemsIn: collection, &builder) else { return }
    }
    let count = state.forest.count(state.root(collection))
    guard count > 1, count <= builder.stepItemsLeft else { return }
    var slots = Array(state.lastSlots(count, in: collection).reversed())
    let bytes = state.contentBytes > TableLimits.operationFaceBytesMax ? state.shownBytes(of: SlotList(slots)) : 0
    guard bytes <= builder.stepBytesLeft else { return }
    builder.stepItemsLeft -= count
    builder.stepBytesLeft -= bytes
    recordTakeOuts(SlotList(slots), builder.author.session, builder.revision)
    noteEnds(SlotList(slots), at: builder.revision)
    builder.isFinal = true
    _ = takeOut(SlotList(slots), &builder)
    let ids = mint(slots.count, in: collection)
    random.shuffle(&slots)
    settle(
      SlotList(slots), in: collection, at: .before(.boundary), by: builder.author.session, builder.revision)
    for (position, slot) in slots.enumerated() {
      state.rename(slot, to: ids[position])
      undos.note(.made(ids[position]), at: builder.revision)
    }
    addInserted(slots.map(state.item), .end(of: state.handle(collection)), isCounted: false, &builder)
  }

  private mutating func turn(_ slots: SlotList, _ isFaceUp: Bool, _ builder: inout DiffBuilder) {
    var turned: [Item] = []
    for slot in slots where state.collection(slot) >= 0 && state.forest.records[slot].isFaceUp != isFaceUp {
      guard state.kind(of: state.collection(slot)).faces.isFaceUp(isFaceUp) == isFaceUp else { continue }
      noteAppearance(slot, at: builder.revision)
      if isFaceUp { builder.isFinal = true }
      state.setFaceUp(slot, isFaceUp)
      turned.append(state.item(slot))
    }
    if !turned.isEmpty { addFaced(turned, &builder) }
  }

  private mutating func pin(_ slots: SlotList, _ isPinned: Bool, _ builder: inout DiffBuilder) {
    var pinned: [Item] = []
    for slot in slots where state.collection(slot) >= 0 && state.forest.records[slot].isPinned != isPinned {
      let record = state.forest.records[slot]
      noteAppearance(slot, at: builder.revision)
      state.setAppearance(slot, isFaceUp: record.isFaceUp, isFaceKnown: record.isFaceKnown, isPinned: isPinned)
      pinned.append(state.item(slot))
    }
    if !pinned.isEmpty { addFaced(pinned, &builder) }
  }

  // MARK: Stamps

  /// Notes the former faces of items that will be stamped and that some viewer cannot see: after the move they may be visible,
  /// and what is noted then must not depend on what the stamp replaces.
  ///
  /// - Parameter faces: The faces that the moved items get, in their order; empty if they keep theirs.
  /// - Returns: For each item whether it is one of these.
  mutating func noteConcealed(_ move: Plan.Move, _ faces: [Face], _ builder: inout DiffBuilder) -> [Bool] {
    guard state.type.views != .complete, !faces.isEmpty else { return faces.map { _ in false } }
    return move.slots.map { slot in
      let isConcealed =
        state.collection(slot) != Int(move.collection) && !state.isAlias(slot)
        && state.visibility(of: slot) != .everyone
      if isConcealed { noteAppearance(slot, at: builder.revision) }
      return isConcealed
    }
  }

  /// Gives moved items the faces that their new collection stamps.
  ///
  /// - Parameter areConcealed: The result of ``noteConcealed(_:_:_:)``. Whether the stamp changes such an item is not seen.
  mutating func stamp(_ slots: SlotList, _ faces: [Face], _ areConcealed: [Bool], _ builder: inout DiffBuilder) {
    var stamped: [Item] = []
    for (index, (slot, face)) in zip(slots, faces).enumerated() where !state.isAlias(slot) {
      // An alias gets the face of its item, which may be among the others.
      guard areConcealed[index] || state.faces[slot] != face else { continue }
      if !areConcealed[index] { noteAppearance(slot, at: builder.revision) }
      stamped += setFace(slot, face)
    }
    guard !stamped.isEmpty else { return }
    if state.type.views != .complete { builder.replaceFaces(by: stamped) }
    addFaced(stamped, &builder)
  }

  /// Passes the turn to the next taken seat.
  private mutating func passTurn(_ builder: inout DiffBuilder) {
    guard let next = state.seatToMoveNext else { return }
    let turn = Attribute(TableState.turnVariable, Int64(next.rawValue))
    guard turn.value != state.variable(turn.name) else { return }
    set(turn, &builder)
  }

  /// Turns up the last items of collections, which became exposed when others left.
  mutating func turnExposed(in collections: InlineList<Int>, _ builder: inout DiffBuilder) {
    for collection in collections where state.traits(of: collection).flags.contains(.turnsExposed) {
      let last = state.forest.last(in: state.root(collection))
      guard last >= 0, !state.forest.records[last].isFaceUp else { continue }
      noteAppearance(last, at: builder.revision)
      builder.isFinal = true
      state.setFaceUp(last, true)
      addFaced([state.item(last)], &builder)
    }
  }

  mutating func set(_ variable: Attribute, _ builder: inout DiffBuilder) {
    undos.note(
      .variable(Attribute(name: variable.name, value: state.variable(variable.name))), at: builder.revision)
    state.set(variable)
    builder.add(.variables([variable]))
  }

  mutating func set(_ status: String, _ builder: inout DiffBuilder) {
    undos.note(.status(state.status), at: builder.revision)
    state.setStatus(status)
    builder.add(.status(status))
  }
}
