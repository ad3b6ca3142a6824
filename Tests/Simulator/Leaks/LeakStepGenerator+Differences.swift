import BaizeTable
import BaizeWorkload

/// Private operations of other participants that differ at the two tables.
extension LeakStepGenerator {
  /// Begins private operations of another participant that differ at the second table.
  mutating func differ(_ number: Int) -> LeakStep? {
    guard number != run.plan.watcher, let state = run.state else { return nil }
    guard state.type.hasSecrets else {
      hasDiffered = true
      return reasons(number)
    }
    let seat = run.seat(of: number)
    guard let hand = hand(of: seat, state) else { return nil }
    hasDiffered = true
    switch random.below(9) {
    case 0: queue = [refusals(number)]
    case 7: queue = [reasons(number)]
    case 8: queue = mixture(number, hand, state)
    case 1: queue = [insert(number, hand)]
    case 2, 3: queue = update(number, hand, state)
    case 4: queue = block(number, hand, state)
    default: queue = arrange(number, hand, state)
    }
    guard !queue.isEmpty else { return nil }
    addProbe(state)
    return queue.removeFirst()
  }

  /// Returns an operation at one table only, which refuses it.
  private mutating func refusals(_ number: Int) -> LeakStep {
    let refused = TableOperation.Kind.perform(action: "no such action", items: [], nil)
    return random.happens(onceIn: 2) ? .submit(number, refused, nil) : .submit(number, nil, refused)
  }

  /// Returns operations that are refused for different reasons, which no one else may learn.
  private mutating func reasons(_ number: Int) -> LeakStep {
    let reasons = [
      TableOperation.Kind.perform(action: String(repeating: "n", count: 1 + random.below(60)), items: [], nil),
      .remove([]),
    ]
    let isFirst = random.happens(onceIn: 2)
    return .submit(number, reasons[isFirst ? 0 : 1], reasons[isFirst ? 1 : 0])
  }

  /// Returns a move of an item that all see into a hand, with different numbers of items that are there already.
  private mutating func mixture(_ number: Int, _ hand: CollectionHandle, _ state: TableState) -> [LeakStep] {
    let open = Self.openItems(state)
    let items = state.itemIDs(in: hand)
    guard !open.isEmpty, items.count > 1, !run.plan.addressesByPosition else { return [] }
    let item = random.pick(open)
    let kinds = (0..<2).map { _ in
      TableOperation.Kind.move([item] + items.prefix(random.below(items.count + 1)), to: .end(of: hand))
    }
    return [.submit(number, kinds[0], kinds[1])]
  }

  private mutating func insert(_ number: Int, _ hand: CollectionHandle) -> LeakStep {
    let kinds = (1...2).map { value in
      let text = String(repeating: "n", count: random.below(300))
      return TableOperation.Kind.insert(
        [NewItem(attributes: [Attribute("number", Int64(value)), Attribute("text", text)])], .end(of: hand))
    }
    return .submit(number, kinds[0], kinds[1])
  }

  /// Changes of an item, often with long texts at one table and short ones at the other: each former face is kept, so that the
  /// change can be undone.
  private mutating func update(_ number: Int, _ hand: CollectionHandle, _ state: TableState) -> [LeakStep] {
    // Faces that only their owner sees may also be in collections whose items all viewers see.
    let owner = state.rules(of: hand).owner
    let items = state.handles.filter { handle in
      let rules = state.rules(of: handle)
      return rules.owner == owner && state.type.kinds[rules.kind].faces == .owner
    }.flatMap(state.itemIDs)
    guard !items.isEmpty else { return [] }
    let item = random.pick(items)
    let lengths = random.pick([(2, 2), (300, 300), (300, 2), (2, 300)])
    return (0...random.below(4)).map { _ in
      let kinds = [lengths.0, lengths.1].map { length in
        let note = String(repeating: "u", count: random.below(length))
        return TableOperation.Kind.update(item, attributes: [Attribute("note", note)], representations: [])
      }
      return .submit(number, kinds[0], kinds[1])
    }
  }

  /// Returns a move of several items into a hand, in different orders.
  private mutating func block(_ number: Int, _ hand: CollectionHandle, _ state: TableState) -> [LeakStep] {
    let open = Self.openItems(state)
    guard open.count > 1 else { return [] }
    var sources: [ItemID] = []
    for _ in 0..<3 {
      let item = random.pick(open)
      if !sources.contains(item) { sources.append(item) }
    }
    var other = sources
    random.shuffle(&other)
    let suggested: DropOperation.Set = random.happens(onceIn: 3) ? .copy : []
    return [
      .submit(
        number, .move(sources, to: .end(of: hand), suggested: suggested),
        .move(other, to: .end(of: hand), suggested: suggested))
    ]
  }

  /// Returns the items that all see, and that may be lifted together.
  private static func openItems(_ state: TableState) -> [ItemID] {
    state.handles.filter { handle in
      let kind = state.kind(of: handle)
      return !kind.isPrivate && kind.lift.shape == .any
    }.flatMap(state.itemIDs)
  }

  /// Returns a different arrangement of a hand.
  ///
  /// From then on the same position is another card's: only pairs that go by ids can be compared.
  private mutating func arrange(_ number: Int, _ hand: CollectionHandle, _ state: TableState) -> [LeakStep] {
    let items = state.itemIDs(in: hand)
    guard items.count > 1, !run.plan.addressesByPosition else { return [] }
    let kinds = (0..<3).map { _ in
      var sources = items
      random.shuffle(&sources)
      // Mostly one, which often is where it is to go.
      sources = Array(sources.prefix(random.happens(onceIn: 4) ? 1 + random.below(items.count) : 1))
      let anchor = random.below(items.count + 1)
      return TableOperation.Kind.move(
        sources, to: anchor < items.count ? .before(items[anchor], in: hand) : .end(of: hand))
    }
    let step = LeakStep.submit(number, kinds[0], kinds[1])
    // The same again changes nothing at the first table: the items are there already, and their author put them there.
    return random.happens(onceIn: 2) ? [step, .submit(number, kinds[0], kinds[2])] : [step]
  }
}
