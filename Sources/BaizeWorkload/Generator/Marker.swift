import BaizeTable

/// Turns actions into operations whose effect a ledger can follow: insertions are of one marked item, updates are of the
/// player's own items, and nothing copies an item, brings one back, or removes one that the ledger does not know of.
struct Marker {
  private let player: Int
  private var lastMark = 0
  private var lastValue = 0

  /// The approximate number of items of a table: below it grows, above it shrinks.
  private static let itemsWanted = 120
  private static let attemptsMax = 8
  /// Where no collection accepts insertions, one of so many is tried.
  private static let vainInsertions = 8

  init(player: Int) { self.player = player }

  /// - Returns: `nil` if there is nothing to do.
  mutating func marked(
    _ action: ClientAction, at state: TableState, _ decisions: inout some DecisionSource
  ) -> TableOperation.Kind? {
    let homes = state.handles.filter { state.kind(of: $0).accept.inserts }
    let isFull = state.itemCount >= Self.itemsWanted
    switch action {
    case .insert where homes.isEmpty:
      guard decisions.happens(onceIn: Self.vainInsertions) else { return nil }
      return insertion(to: .end(of: decisions.pick(state.handles)))
    case .insert where isFull, .alias where isFull: return state.anyItem(&decisions).map { .remove(ItemList($0)) }
    case .insert: return insertion(to: state.anyDestination(in: decisions.pick(homes), &decisions))
    case .remove(let spots): return spots.first?.item(in: state).map { .remove(ItemList($0)) }
    case .update: return update(at: state, &decisions)
    case .copy(let spots, let gap): return ClientAction.move(spots, to: gap).operation(at: state, after: .zero)
    // Where items are inserted, an action might remove one.
    case .perform where !homes.isEmpty: return nil
    case .undo: return nil
    // This one names an item that is there, besides one that is not.
    case .invalid(.partlyUnknown, let spot, let gap):
      return ClientAction.invalid(.unknownItem, spot, to: gap).operation(at: state, after: .zero)
    case .move, .alias, .perform, .host, .invalid, .forced: return action.operation(at: state, after: .zero)
    }
  }

  private mutating func insertion(to destination: Destination) -> TableOperation.Kind {
    lastMark += 1
    return .insert([Mark(player: player, number: lastMark).newItem], destination)
  }

  /// Updates only the player's own items, so that no one else decides their value in the end.
  private mutating func update(
    at state: TableState, _ decisions: inout some DecisionSource
  ) -> TableOperation.Kind? {
    for _ in 0..<Self.attemptsMax {
      guard let item = state.anyItem(&decisions), Mark(state.face(of: item))?.player == player else { continue }
      lastValue += 1
      return .update(item, attributes: [Mark.value(lastValue)], representations: [])
    }
    return nil
  }
}
