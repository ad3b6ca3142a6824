/// R12: copies of items that others removed since the base, or that got a new id. A copy takes nothing away, so that it can
/// still be made from the face that its author saw.
extension Table {
  /// Plans a drop if it is a copy, and if its author saw all those of its sources that are gone. Each of them is judged as if
  /// it were still in the collection that it left.
  ///
  /// - Returns: `nil` if the drop is not a copy, or if something is not known any more.
  @inline(never) func planCopyOfRemoved(
    _ difference: ReorderDifference, _ suggested: DropOperation.Set, _ landing: Landing, _ request: Request,
    _ memory: AuthorMemory, _ claims: [ItemID: Claim]?
  ) throws(Refusal) -> Plan? {
    guard state.type.allowsCopies, undos.forgottenNotes <= request.base else { return nil }
    var named: [ItemID] = []
    for item in difference.sources { named.append(try tableID(of: item, request, memory)) }
    let missing = named.filter { state.slot(of: $0, for: request.seat) < 0 }
    guard let removed = removed(missing, request) else { return nil }
    // The state as its author saw it, as far as the rules for lifting read it.
    var seen = self
    seen.state = state.frozen()
    let restored = seen.restore(removed)
    let items = ResolvedItems(
      slots: SlotList(named.map { restored.slots[$0] ?? state.slot(of: $0, for: request.seat) }))
    let operation = seen.state.operation(of: items.slots, on: landing.collection, suggested: suggested)
    guard operation == .copy else { return nil }
    try seen.checkLift(of: items, to: landing.collection, request, claims)
    // The removed items are not there when the copies land.
    for slot in restored.inOrder { seen.state.detach(slot) }
    let (drop, effect) = try seen.planLanding(of: items, on: landing, suggested, named.count, request, memory, claims)
    var plan = Plan(request, effect)
    plan.operation = drop.operation
    plan.isRedirected = drop.isRedirected
    plan.isRebased = landing.isRebased && !drop.isRedirected
    if drop.acceptedCount < named.count { plan.acceptedPositions = InlineList(0..<drop.acceptedCount) }
    return plan
  }

  /// An item that others took off the table.
  struct Removed {
    let takeOut: History.TakeOut
    let number: Int
    /// The appearance that the author saw.
    let appearance: UndoWindow.Appearance
  }

  /// Returns the items that others took off the table, as the author saw them; `nil` if it did not see one of them.
  ///
  /// - Complexity: O(k + w) for k items and w records of the history.
  private func removed(_ items: [ItemID], _ request: Request) -> [Removed]? {
    let latest = history.latestTakeOuts(of: items)
    var shown: [ItemID: UndoWindow.Appearance] = [:]
    let sought = Set(items)
    for dated in undos.notes(since: request.base) {
      switch dated.note {
      case .changed(let item, let appearance), .ended(let item, let appearance):
        guard sought.contains(item), shown[item] == nil,
          !undos.isOperation(at: dated.revision, of: request.author.session)
        else { continue }
        shown[item] = appearance
      case .made, .variable, .status: break
      }
    }
    var removed: [Removed] = []
    for item in items {
      guard let number = latest[item], let last = history[number], last.revision > request.base,
        let appearance = shown[item], appearance.isFaceKnown
      else { return nil }
      var first = last
      while let earlier = history[first.previous], earlier.revision > request.base { first = earlier }
      guard first.placed <= request.base || first.placedBy == request.author.session,
        state.visibility(in: Int(first.collection), isFaceUp: appearance.isFaceUp).includes(request.seat),
        state.isVisible(Int(last.collection), to: request.seat)
      else { return nil }
      removed.append(Removed(takeOut: last, number: number, appearance: appearance))
    }
    return removed
  }
}

extension TableState {
  /// Returns what a copy of an item is made of.
  func original(_ slot: Int32) -> Plan.Copy.Original {
    let record = forest.records[slot]
    return Plan.Copy.Original(
      face: faces[slot], isFaceUp: record.isFaceUp, isFaceKnown: record.isFaceKnown, visibility: visibility(of: slot))
  }
}
