package import BaizeBot
package import BaizeSync
package import BaizeTable

/// A strategy whose every operation leaves a trace: if the table type accepts new items, it inserts marked ones, updates its
/// own, moves and removes any; otherwise it does anything that the rules allow. Some operations are meant to be refused.
package struct MarkedStrategy {
  package let player: Int
  private var strategy = RandomStrategy(illegalShare: 0.1)
  private var lastMark = 0
  private var lastValue = 0

  /// The approximate number of items of a table: below it grows, above it shrinks.
  private static let itemsWanted = 120
  private static let attemptsMax = 8

  package init(player: Int) {
    self.player = player
    // With a bound, it would wait forever while the daemon is down.
    strategy.pendingMax = .max
  }

  package mutating func next(at replica: Replica, random: inout RandomSource) -> Decision {
    let state = replica.state
    let homes = state.handles.filter(state.acceptsInserts)
    guard !homes.isEmpty else {
      if random.happens(onceIn: 25) { return insertion(in: random.pick(state.handles), at: state, &random) }
      let decision = strategy.next(at: replica, random: &random)
      if case .done = decision { return refusal(at: state, &random) }
      return decision
    }
    switch random.below(100) {
    case 0..<8 where state.type.offersAliases && state.itemCount < Self.itemsWanted:
      guard let item = state.anyItem(&random) else { return .wait }
      let destination = state.anyDestination(in: state.anyCollection(&random), &random)
      return .submit(.move(ItemList(item), to: destination, suggested: .alias))
    case 0..<40:
      guard let kind = state.anyMove(&random, not: []) else { return .wait }
      return .submit(kind, sendsRefused: random.happens(onceIn: 4))
    case 40..<70 where state.itemCount < Self.itemsWanted:
      return insertion(in: random.pick(homes), at: state, &random)
    case 40..<76:
      guard let item = state.anyItem(&random) else { return .wait }
      return .submit(.remove(ItemList(item)), sendsRefused: random.happens(onceIn: 4))
    case 76..<90: return update(at: state, &random)
    default: return refusal(at: state, &random)
    }
  }

  private mutating func insertion(
    in collection: CollectionHandle, at state: TableState, _ random: inout RandomSource
  ) -> Decision {
    lastMark += 1
    let item = Mark(player: player, number: lastMark).newItem
    return .submit(.insert([item], state.anyDestination(in: collection, &random)), sendsRefused: true)
  }

  /// Updates only the player's own items, so that no one else decides their value in the end.
  private mutating func update(at state: TableState, _ random: inout RandomSource) -> Decision {
    for _ in 0..<Self.attemptsMax {
      guard let item = state.anyItem(&random), Mark(state.face(of: item))?.player == player else { continue }
      lastValue += 1
      return .submit(.update(item, attributes: [Mark.value(lastValue)], representations: []))
    }
    return .wait
  }

  /// Returns an operation that every table refuses.
  private func refusal(at state: TableState, _ random: inout RandomSource) -> Decision {
    let kind = random.pick([InvalidOperation.unknownItem, .unknownAction, .unknownCollection, .nothingNew])
      .operation(ItemID(rawValue: 1), .end(of: random.pick(state.handles)))
    return .submit(kind, sendsRefused: true)
  }
}

extension TableState {
  fileprivate func acceptsInserts(_ handle: CollectionHandle) -> Bool {
    kind(of: handle).accept.inserts
  }
}
