package import BaizeTable

/// Random actions of clients: mostly sensible, sometimes hostile.
extension ClientAction {
  /// - Parameters:
  ///   - state: The table as the seat sees it.
  ///   - seat: The author's seat.
  package static func random(at state: TableState, by seat: SeatNumber, _ random: inout RandomSource) -> ClientAction {
    if random.happens(onceIn: 12) {
      return .invalid(random.pick(InvalidOperation.allCases), spot(in: state, &random), to: gap(in: state, &random))
    }
    switch random.below(20) {
    case 0, 1: return .insert(1 + random.below(3), to: gap(in: state, &random))
    case 2: return .remove(spots(in: state, max: 3, &random))
    case 3: return .update(spot(in: state, &random), note: Int64(random.below(5)))
    case 4, 5, 6:
      guard !state.type.actions.isEmpty else { break }
      let action = random.pick(state.type.actions)
      return .perform(action.name, action.items == .subject ? spots(in: state, max: 2, &random) : [])
    case 7, 8: return .undo(random.happens(onceIn: 3) ? random.below(5) : 0)
    default: break
    }
    if !state.type.allowsMixedSources, let legal = run(at: state, by: seat, &random) { return legal }
    let copies = random.happens(onceIn: 5)
    let spots = spots(in: state, max: random.happens(onceIn: 3) ? 4 : 1, &random)
    let gap = gap(in: state, &random)
    if state.type.offersAliases, random.happens(onceIn: 4) { return .alias(spots, to: gap) }
    return copies ? .copy(spots, to: gap) : .move(spots, to: gap)
  }

  /// Returns a move that the rules of a card game may well allow: everything from an open card on, to where it would go.
  private static func run(at state: TableState, by seat: SeatNumber, _ random: inout RandomSource) -> ClientAction? {
    for _ in 0..<6 {
      let index = random.below(state.handles.count)
      let items = state.itemIDs(in: state.handles[index])
      guard let firstOpen = items.firstIndex(where: state.isFaceUp) else { continue }
      let first = firstOpen + random.below(items.count - firstOpen)
      let legal = state.dropConfigurations(for: ItemList(items[first...]), by: seat).filter {
        $0.configuration.operation == .move && $0.collection != state.handles[index]
      }
      guard !legal.isEmpty else { continue }
      let target = state.handles.firstIndex(of: random.pick(legal).collection) ?? 0
      return .move((first..<items.count).map { Spot(index, $0) }, to: Gap(target))
    }
    return nil
  }

  private static func spot(in state: TableState, _ random: inout RandomSource) -> Spot {
    for _ in 0..<8 {
      let index = random.below(state.handles.count)
      let count = state.count(in: state.handles[index])
      if count > 0 { return Spot(index, random.below(count)) }
    }
    return Spot(0, 0)
  }

  private static func spots(in state: TableState, max: Int, _ random: inout RandomSource) -> [Spot] {
    (0...random.below(max)).map { _ in spot(in: state, &random) }
  }

  private static func gap(in state: TableState, _ random: inout RandomSource) -> Gap {
    let index = random.below(state.handles.count)
    let count = state.count(in: state.handles[index])
    guard count > 0, !random.happens(onceIn: 4) else { return Gap(index) }
    return Gap(index, before: random.below(count))
  }
}
