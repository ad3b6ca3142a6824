package import BaizeSync
package import BaizeTable

/// A person's cursor at a table: it stands on an item, or, while items are carried, at a gap.
package struct TableCursor: Sendable {
  /// The collection that the cursor is in.
  package private(set) var collection = CollectionHandle(rawValue: 1)
  /// The offset of the item on which the cursor stands, or behind the gap.
  package private(set) var offset = 0
  /// The items that are carried; empty for none.
  package private(set) var carried = ItemList()

  /// A request of a key.
  package enum Request: Equatable, Sendable {
    case submit(TableOperation.Kind)
    /// Undo the last operation.
    case undo
    /// The rules do not allow it.
    case refused(Refusal)
  }

  package init() {}

  package var isCarrying: Bool { !carried.isEmpty }

  /// Handles a key.
  ///
  /// - Returns: What it asks for; `nil` if only the cursor moves.
  package mutating func press(_ key: TerminalKey, at replica: Replica) -> Request? {
    let state = replica.state
    stay(in: state)
    switch key {
    case .left, .character("h"): move(by: -1, in: state)
    case .right, .character("l"): move(by: 1, in: state)
    case .up, .character("k"): offset = max(0, offset - 1)
    case .down, .character("j"): offset = min(offset + 1, lastOffset(in: state))
    case .tab: moveToNextTarget(of: replica)
    case .escape: carried = []
    case .enter: return isCarrying ? drop(at: replica) : lift(at: replica)
    case .character("u"): return .undo
    case .character(let digit):
      guard let number = digit.wholeNumberValue, number > 0, number <= state.type.actions.count else { return nil }
      return .submit(.perform(action: state.type.actions[number - 1].name, items: itemsOfAction(number, state), nil))
    }
    return nil
  }

  /// Keeps the cursor on the table after a change.
  package mutating func stay(in state: TableState) {
    if !state.isKnown(collection) { collection = CollectionHandle(rawValue: 1) }
    if !carried.allSatisfy(state.contains) { carried = [] }
    offset = min(offset, lastOffset(in: state))
  }

  /// Returns the largest offset: a gap may be behind the last item.
  private func lastOffset(in state: TableState) -> Int { max(0, state.count(in: collection) - (isCarrying ? 0 : 1)) }

  private mutating func move(by step: Int, in state: TableState) {
    let handles = state.handles
    let index = (handles.firstIndex(of: collection) ?? 0) + step + handles.count
    go(to: handles[index % handles.count], in: state)
  }

  /// Goes to the end of a collection, where in most collections items can be lifted and drops land, or else to its start.
  private mutating func go(to target: CollectionHandle, in state: TableState) {
    collection = target
    offset = isCarrying || state.kind(of: target).lift.shape != .any ? lastOffset(in: state) : 0
  }

  // MARK: Carrying

  /// Returns the collections that accept the carried items at their end.
  package func targets(at replica: Replica) -> Set<CollectionHandle> {
    guard isCarrying else { return [] }
    return Set(
      replica.state.dropConfigurations(for: carried, by: replica.author.seat).compactMap {
        $0.configuration.refusal == nil ? $0.collection : nil
      })
  }

  private mutating func moveToNextTarget(of replica: Replica) {
    let targets = targets(at: replica)
    guard let next = targets.min(by: { distance(to: $0, replica.state) < distance(to: $1, replica.state) }) else {
      return
    }
    go(to: next, in: replica.state)
  }

  private func distance(to target: CollectionHandle, _ state: TableState) -> Int {
    let handles = state.handles
    let step = (handles.firstIndex(of: target) ?? 0) - (handles.firstIndex(of: collection) ?? 0)
    return step > 0 ? step : step + handles.count
  }

  /// Lifts the item under the cursor; with it the rest of its run, where the collection's items move in runs.
  private mutating func lift(at replica: Replica) -> Request? {
    let state = replica.state
    guard let item = state.item(at: offset, in: collection) else { return nil }
    var items = ItemList([item])
    if state.kind(of: collection).lift.shape == .run {
      items = ItemList(state.items(in: collection, from: offset, limit: state.count(in: collection)).map(\.id))
    }
    if let refusal = state.refusalToLift(items, by: replica.author.seat) { return .refused(refusal) }
    carried = items
    return nil
  }

  private mutating func drop(at replica: Replica) -> Request? {
    let state = replica.state
    let items = carried
    carried = []
    let isAnywhere = state.kind(of: collection).accept.landing == .anywhere
    let rest = state.items(in: collection, from: offset, limit: items.count + 1).map(\.id)
    let anchor = isAnywhere ? rest.first { !items.contains($0) } : nil
    let destination = Destination(collection: collection, position: anchor.map(Position.before) ?? .end)
    offset = min(offset, lastOffset(in: state))
    let difference = ReorderDifference(sources: Array(items), destination: destination)
    if let refusal = state.dropConfiguration(for: difference, by: replica.author.seat).refusal {
      return .refused(refusal)
    }
    return .submit(.reorder(difference, suggested: []))
  }

  private func itemsOfAction(_ number: Int, _ state: TableState) -> ItemList {
    guard state.type.actions[number - 1].items == .subject, let item = state.item(at: offset, in: collection) else {
      return []
    }
    return [item]
  }
}
