import BaizeTable

/// Actions by position.
extension Generator {
  private static let attemptsMax = 6

  /// Returns a move that the rules may well allow: in a card game of everything from an open card on, otherwise of one item.
  func legal(at state: TableState, by seat: SeatNumber, _ decisions: inout some DecisionSource) -> ClientAction? {
    for _ in 0..<Self.attemptsMax {
      let index = decisions.below(state.handles.count)
      let source = state.handles[index]
      guard let offsets = liftable(in: source, at: state, &decisions) else { continue }
      let items = ItemList(offsets.compactMap { state.item(at: $0, in: source) })
      let legal = state.dropConfigurations(for: items, by: seat).filter {
        $0.configuration.operation == .move && ($0.collection != source || state.type.allowsMixedSources)
      }
      guard !legal.isEmpty else { continue }
      let target = state.handles.firstIndex(of: decisions.pick(legal).collection) ?? 0
      let spots = offsets.map { Spot(index, $0) }
      return .move(spots, to: state.type.allowsMixedSources ? gap(in: target, at: state, &decisions) : Gap(target))
    }
    return nil
  }

  /// Returns the offsets of items that may be moved together.
  private func liftable(
    in handle: CollectionHandle, at state: TableState, _ decisions: inout some DecisionSource
  ) -> Range<Int>? {
    guard !state.type.allowsMixedSources else {
      let count = state.visibleCount(in: handle)
      return count == 0 ? nil : decisions.below(count).sole
    }
    let items = state.itemIDs(in: handle)
    guard let firstOpen = items.firstIndex(where: state.isFaceUp) else { return nil }
    return firstOpen + decisions.below(items.count - firstOpen)..<items.count
  }

  func free(at state: TableState, by seat: SeatNumber, _ decisions: inout some DecisionSource) -> ClientAction {
    let content = weights.content(&decisions)
    switch content {
    case .insert: return .insert(1 + decisions.below(3), to: gap(at: state, &decisions))
    case .remove: return .remove(spots(at: state, max: 3, &decisions))
    case .update: return .update(spot(at: state, &decisions), note: Int64(decisions.below(5)))
    case .perform:
      guard !state.type.actions.isEmpty else { break }
      let action = decisions.pick(state.type.actions)
      return .perform(action.name, action.items == .subject ? spots(at: state, max: 2, &decisions) : [])
    case .move, .copy, .alias, .undo, .unknown: break
    }
    if !state.type.allowsMixedSources, let run = legal(at: state, by: seat, &decisions) { return run }
    let spots = spots(at: state, max: decisions.happens(onceIn: 3) ? 4 : 1, &decisions)
    let gap = gap(at: state, &decisions)
    return switch content {
    case .copy: .copy(spots, to: gap)
    case .alias where state.type.offersAliases: .alias(spots, to: gap)
    case .move, .alias, .insert, .remove, .update, .perform, .undo, .unknown: .move(spots, to: gap)
    }
  }

  /// Returns a move to or from the head of the first collection, where everybody drops.
  func contended(at state: TableState, _ decisions: inout some DecisionSource) -> ClientAction {
    let head = Gap(0, before: state.count(in: state.handles[0]) == 0 ? nil : decisions.below(Self.headCount))
    if decisions.happens(onceIn: 4) {
      return .move([Spot(0, decisions.below(Self.headCount))], to: gap(at: state, &decisions))
    }
    let isOwn = decisions.happens(onceIn: 2)
    return .move([isOwn ? Spot(0, decisions.below(Self.headCount)) : spot(at: state, &decisions)], to: head)
  }

  private static let headCount = 3

  func illegal(at state: TableState, _ decisions: inout some DecisionSource) -> ClientAction {
    .invalid(
      decisions.pick(InvalidOperation.allCases), spot(at: state, &decisions), to: gap(at: state, &decisions))
  }

  /// Returns an insertion of as many items as an operation may have, or of one more; or a move of all items of a
  /// collection, as far as one operation may.
  func huge(at state: TableState, _ decisions: inout some DecisionSource) -> ClientAction {
    let itemsMax = TableLimits.itemsPerOperationMax
    let gap = gap(at: state, &decisions)
    guard decisions.happens(onceIn: 2) else { return .insert(itemsMax + decisions.below(2), to: gap) }
    let index = decisions.below(state.handles.count)
    let count = min(state.visibleCount(in: state.handles[index]), itemsMax)
    return .move((0..<count).map { Spot(index, $0) }, to: gap)
  }

  // MARK: Positions

  private func spot(at state: TableState, _ decisions: inout some DecisionSource) -> Spot {
    for _ in 0..<8 {
      let index = decisions.below(state.handles.count)
      let count = state.count(in: state.handles[index])
      if count > 0 { return Spot(index, decisions.below(count)) }
    }
    return Spot(0, 0)
  }

  private func spots(at state: TableState, max: Int, _ decisions: inout some DecisionSource) -> [Spot] {
    (0...decisions.below(max)).map { _ in spot(at: state, &decisions) }
  }

  private func gap(at state: TableState, _ decisions: inout some DecisionSource) -> Gap {
    gap(in: decisions.below(state.handles.count), at: state, &decisions)
  }

  private func gap(in index: Int, at state: TableState, _ decisions: inout some DecisionSource) -> Gap {
    let count = state.count(in: state.handles[index])
    guard count > 0, !decisions.happens(onceIn: 4) else { return Gap(index) }
    return Gap(index, before: decisions.below(count))
  }
}

extension Int {
  /// The range with only this number.
  fileprivate var sole: Range<Int> { self..<self + 1 }
}
