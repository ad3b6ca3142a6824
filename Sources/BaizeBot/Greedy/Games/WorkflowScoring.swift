import BaizeTable

/// A workflow, and any table type without a scoring of its own: each item moves on to the next collection that takes it, those that
/// are nearest to the end first. Nothing moves back, so that there is an end.
struct WorkflowScoring: GameScoring {
  /// The number of actions since an item moved.
  private var actions = 0

  mutating func chose(_ kind: TableOperation.Kind, at view: SeatView) {
    if case .perform = kind { actions += 1 } else { actions = 0 }
  }

  func proposals(at view: SeatView) -> [TableOperation.Kind] {
    let stages = Self.stages(view)
    let moves = stages.indices.flatMap { stage -> [TableOperation.Kind] in
      let later = stages[(stage + 1)...].filter { Self.leadsOn(from: stages[stage], to: $0, view) }
      return view.moves(Self.items(in: stages[stage], view), to: Array(later.prefix(Self.stagesMax)))
    }
    // Only a table with an end is a game, whose actions may lead to it.
    return moves + (view.state.type.endings.isEmpty || actions >= Self.actionsMax ? [] : view.actions())
  }

  func worth(of candidate: Candidate, at view: SeatView) -> Double? {
    if candidate.action != nil { return 0.5 }
    let stages = Self.stages(view)
    guard let drop = candidate.drop(at: view), let from = stages.firstIndex(of: drop.from),
      let to = stages.firstIndex(of: drop.to)
    else { return nil }
    return 1 + Double(from) + 1 / Double(to - from + 1)
  }

  /// Returns the collections in the order in which items pass through them: those that items open, in the items' order.
  private static func stages(_ view: SeatView) -> [CollectionHandle] {
    let state = view.state
    return state.handles.filter { view.isOpen($0) && state.opener(of: $0) == .none }.flatMap { handle in
      guard state.kind(of: handle).opens != nil else { return [handle] }
      return state.items(in: handle, from: 0, limit: stagesMax).compactMap { state.collectionOpened(by: $0.id) }
    }
  }

  /// Returns whether the second collection is another stage than the first, and not one of its own kind, such as another pile.
  private static func leadsOn(from: CollectionHandle, to: CollectionHandle, _ view: SeatView) -> Bool {
    let isOpened = view.state.opener(of: to) != .none
    return (isOpened || view.kind(of: from) != view.kind(of: to)) && view.state.isEnabled(to)
      && !view.state.kind(of: to).accept.operations.isEmpty
  }

  /// Returns the items that may be lifted alone: some of the first ones, or the last one.
  private static func items(in collection: CollectionHandle, _ view: SeatView) -> [ItemID] {
    guard view.state.isEnabled(collection) else { return [] }
    switch view.state.kind(of: collection).lift.shape {
    case .none: return []
    case .top, .run: return view.state.lastItem(in: collection).map { [$0] } ?? []
    case .any: return view.state.items(in: collection, from: 0, limit: itemsMax).map(\.id)
    }
  }

  private static let stagesMax = 64
  private static let itemsMax = 8
  private static let actionsMax = 64
}
