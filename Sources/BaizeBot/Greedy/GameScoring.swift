import BaizeTable

/// What the operations of a game are worth to a seat. It sees only its seat's view, and leaves the rules to the daemon's code.
protocol GameScoring: Sendable {
  /// Learns what is visible after a change of the table.
  mutating func observe(_ view: SeatView)

  /// Returns the operations that are worth trying. The rules may refuse any of them.
  func proposals(at view: SeatView) -> [TableOperation.Kind]

  /// Returns the worth of an operation that the rules allow; `nil` or at most 0 if it is better to do nothing.
  func worth(of candidate: Candidate, at view: SeatView) -> Double?

  /// Handles the choice of an operation, which is submitted next.
  mutating func chose(_ kind: TableOperation.Kind, at view: SeatView)

  /// Returns whether others have to act before the seat can, although it is its turn or there are no turns.
  func isWaiting(at view: SeatView) -> Bool
}

extension GameScoring {
  mutating func observe(_ view: SeatView) {}
  mutating func chose(_ kind: TableOperation.Kind, at view: SeatView) {}
  func isWaiting(at view: SeatView) -> Bool { false }
}

/// An operation that the rules allow, and what it leads to.
struct Candidate {
  let kind: TableOperation.Kind
  /// The table after the operation; `nil` if only the daemon knows it.
  let after: SeatView?

  /// The item, its source and its destination, if the operation moves or copies items to another collection.
  func drop(at view: SeatView) -> (item: ItemID, from: CollectionHandle, to: CollectionHandle)? {
    guard case .reorder(let difference, _) = kind, let item = difference.sources.first,
      let from = view.state.collection(of: item)
    else { return nil }
    return (item, from, difference.destination.collection)
  }

  /// The name of the action; `nil` for another operation.
  var action: String? { if case .perform(let name, _, _) = kind { name } else { nil } }
}
