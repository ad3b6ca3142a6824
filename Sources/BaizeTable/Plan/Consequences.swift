/// G11: the steps that the rules of collections add to a move, their limits, and those of their prediction in a replica.
extension Table {
  /// Returns the steps that follow a move: those of the collections that items leave, then those of the one that they
  /// enter. A move within a collection has none.
  ///
  /// - Throws: The refusal of a move that a step does not allow, or that a replica cannot predict.
  func consequences(
    of move: Plan.Move, _ request: Request
  ) throws(Refusal) -> [Plan.Consequence] {
    guard state.type.hasConsequences else { return [] }
    let destination = Int(move.collection)
    let sources = state.collections(of: move.slots)
    guard sources.contains(where: { $0 != destination }) else { return [] }
    var context = RuleContext(destination: destination, sourcesCount: move.slots.count, seat: request.seat)
    var consequences: [Plan.Consequence] = []
    for source in sources where source != destination {
      context.source = source
      let lift = state.kind(of: source).lift
      if !lift.then.isEmpty, let first = move.slots.first(where: { state.collection($0) == source }) {
        context.item = try judged(first, by: lift.then)
      }
      consequences += state.kind(of: source).lift.then.map { Plan.Consequence(step: $0, context: context) }
    }
    let accept = state.kind(of: destination).accept
    if !accept.then.isEmpty { context.item = try judged(move.slots[0], by: accept.then) }
    consequences += accept.then.map { Plan.Consequence(step: $0, context: context) }
    if accept.passesTurn { consequences.append(Plan.Consequence(step: .passTurn, context: context)) }
    try state.checkSteps(consequences, after: move.slots, to: destination)
    if role == .replica { try checkPredictable(consequences, request, movedCount: move.slots.count) }
    return consequences
  }

  /// Returns what steps may read of an item that is about to move.
  private func judged(_ slot: Int32, by steps: [Action.Step]) throws(Refusal) -> RuleContext.Judged {
    // Only a replica may not know a face that the steps show, directly or not.
    guard state.forest.records[slot].isFaceKnown else {
      guard steps.contains(where: \.readsItem) else { return .nothing }
      throw Refusal.unpredictable
    }
    return .face(state.faces[slot].withoutTexts(over: TableLimits.stepTextBytesMax))
  }

  /// Refuses, in a replica, a move whose outcome depends on items that its viewer may not see.
  func checkPredictable(_ move: Plan.Move, _ request: Request) throws(Refusal) {
    guard role == .replica, move.anchor >= 0, !state.isVisible(Int(move.collection), to: request.seat),
      state.concernsSecrets(move.slots, to: Int(move.collection))
    else { return }
    throw Refusal.unpredictable
  }

  /// Refuses, in a replica, steps that it cannot predict.
  ///
  /// - Parameter movedCount: The number of items that move before the first step.
  func checkPredictable(
    _ steps: [Plan.Consequence], _ request: Request, movedCount: Int = 0
  ) throws(Refusal) {
    var newIDs = movedCount
    // Items that were moved or dealt by earlier steps may be dealt again.
    var dealt = movedCount
    for leaf in state.leaves(of: steps, asAnySeat: true) {
      switch leaf.step {
      case .shuffle: throw Refusal.unpredictable
      case .deal(let from, let to, _):
        guard state.isVisible(from.index, to: request.seat) else { throw Refusal.unpredictable }
        dealt = min(dealt + state.count(in: from), state.itemCount)
        let kind = state.kind(of: to.index)
        if kind.isSecret || !kind.faces.isFaceUp(true) { newIDs += dealt }
      case .turn, .pin, .set, .passTurn, .bySeat, .when, .acting: break
      }
    }
    if newIDs > ItemID.provisionalNumbersMax { throw Refusal.unpredictable }
  }
}

extension Refusal {
  /// The refusal that ends a prediction: the outcome depends on what a replica cannot know.
  static let unpredictable = Refusal(.unpredictable)
}

extension Reason {
  /// The reason with which a replica ends a prediction: the outcome depends on what it cannot know. No daemon sends it.
  package static let unpredictable = Reason(rawValue: "UNPREDICTABLE")
}

extension TableState {
  /// Refuses steps that may touch what they must not, or too much, whether their conditions hold or not.
  ///
  /// - Parameters:
  ///   - steps: The steps, in order.
  ///   - moved: The items that move to `destination` before the first step.
  ///   - destination: The index of that collection; −1 for none.
  func checkSteps(
    _ steps: [Plan.Consequence], after moved: SlotList = [], to destination: Int = -1
  ) throws(Refusal) {
    guard !steps.isEmpty else { return }
    for leaf in leaves(of: steps, asAnySeat: true) { try checkEnabled(leaf.step) }
    try checkSize(leaves(of: steps), after: moved, to: destination)
  }

  /// Refuses a step on a collection that is disabled.
  private func checkEnabled(_ step: Action.Step) throws(Refusal) {
    switch step {
    case .deal(let from, let to, _):
      try checkEnabled(from.index)
      try checkEnabled(to.index)
    case .shuffle(let collection): try checkEnabled(collection.index)
    case .turn, .pin, .set, .passTurn, .bySeat, .when, .acting: break
    }
  }

  /// Refuses steps that would move too many items, or show too many bytes of faces, whatever the size of the collections
  /// that they empty.
  ///
  /// Counts are taken as they are before the first step. If a later one would deal more, it deals what is left.
  ///
  /// - Parameter moved: The items that move to `destination` before the first step.
  private func checkSize(_ steps: [Plan.Consequence], after moved: SlotList, to destination: Int) throws(Refusal) {
    let countsBytes = contentBytes > TableLimits.operationFaceBytesMax
    guard countsBytes || (itemCount + aliases.count) * steps.count > TableLimits.stepItemsMax else { return }
    var (gains, gainedBytes): ([Int: Int], [Int: Int]) = ([:], [:])
    // The aliases that go with the items of a collection, if these are dealt to where faces may be hidden, or shuffled.
    var gainedAliases: [Int: Int] = [:]
    if !aliases.isEmpty { gainedAliases[destination] = aliasSlots(of: moved).count }
    for slot in moved { gains[collection(slot), default: 0] -= 1 }
    gains[destination, default: 0] += moved.count
    if countsBytes { gainedBytes[destination] = shownBytes(of: moved) }
    var (total, allBytes) = (0, 0)
    func add(_ count: Int) throws(Refusal) {
      total += count
      guard total <= TableLimits.stepItemsMax else {
        throw Refusal(.tooManyItems, detail: "an operation's steps move at most \(TableLimits.stepItemsMax) items")
      }
    }
    for step in steps {
      switch step.step {
      case .deal(let from, let to, let term):
        var count = count(from.index) + gains[from.index, default: 0]
        if let term {
          guard case .number(let number)? = value(term, step.context) else { continue }
          count = Int(min(Int64(count), max(0, number)))
        }
        try add(count)
        gains[from.index, default: 0] -= count
        gains[to.index, default: 0] += count
        if !aliases.isEmpty {
          let dealt = aliasSlots(of: lastSlots(count, in: from.index))
          let going = min(aliases.count, dealt.count + gainedAliases[from.index, default: 0])
          if !kind(of: to.index).isOpen { try add(going) }
          if countsBytes { allBytes += shownBytes(of: SlotList(dealt)) }
          gainedAliases[to.index] = min(aliases.count, gainedAliases[to.index, default: 0] + going)
        }
        guard countsBytes else { continue }
        // One more, which may be exposed.
        let bytes = shownBytes(of: lastSlots(count + 1, in: from.index)) + gainedBytes[from.index, default: 0]
        gainedBytes[to.index, default: 0] += bytes
        if type.faceBytes != nil { allBytes += bytes }
      case .shuffle(let handle):
        let count = count(handle.index) + gains[handle.index, default: 0]
        try add(count)
        if !aliases.isEmpty {
          let shuffled = aliasSlots(of: lastSlots(count, in: handle.index))
          try add(min(aliases.count, shuffled.count + gainedAliases[handle.index, default: 0]))
          if countsBytes { allBytes += shownBytes(of: SlotList(shuffled)) }
        }
        guard countsBytes else { continue }
        allBytes += shownBytes(of: lastSlots(count, in: handle.index)) + gainedBytes[handle.index, default: 0]
      case .turn, .pin, .set, .passTurn, .bySeat, .when, .acting: break
      }
    }
    guard allBytes <= TableLimits.operationFaceBytesMax else { throw Refusal.tooLarge }
  }

  /// Returns at most `count` items from the end of a collection, the last one first, with at most `bytesMax` bytes.
  func lastSlots(_ count: Int, in collection: Int, bytesMax: Int = .max) -> SlotList {
    var slots = SlotList()
    var bytesLeft = bytesMax
    var slot = forest.last(in: root(collection))
    while slot >= 0, slots.count < count {
      if bytesMax < .max { bytesLeft -= shownBytes(of: .one(slot)) }
      guard bytesLeft >= 0 else { break }
      slots.append(slot)
      slot = forest.previous(slot)
    }
    return slots
  }

  /// Returns the size of items in an operation, in bytes.
  func shownBytes(of slots: SlotList) -> Int {
    type.operationBytes(items: slots.count, faceBytes: slots.reduce(0) { $0 + faces[$1].contentBytes })
  }
}
