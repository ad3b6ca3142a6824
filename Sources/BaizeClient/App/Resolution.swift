import BaizeSync
import BaizeTable

/// The end of an operation: the daemon's answer, and the items that it concerns.
struct Resolution: Sendable {
  let answer: Answer
  /// The items that the operation moved, removed, changed or created; `nil` if that is not known.
  let items: [ItemID]?

  /// Creates the end of an operation that the daemon did not accept.
  init(_ answer: Answer) {
    self.answer = answer
    items = if case .unknown = answer { nil } else { [] }
  }

  init(_ answered: Answered, _ identities: ItemIdentities, _ machine: ClientMachine) {
    answer = answered.answer
    switch answered.answer {
    case .accepted(let diff):
      let created = diff.minted.filter { $0 != .none }.map(identities.localID)
      if !created.isEmpty {
        items = created
        return
      }
      let touched = diff.items
      let named = answered.operation.namedItems.map { $0.isProvisional ? machine.finalID(of: $0) ?? $0 : $0 }
      items =
        named.isEmpty
        ? touched.sorted { $0.rawValue < $1.rawValue }.map(identities.localID)
        : named.filter(touched.contains).map(identities.localID)
    case .acceptedBefore:
      let created = answered.operation.provisionalIDs.compactMap(machine.finalID)
      items = created.isEmpty ? nil : created.map(identities.localID)
    case .unchanged, .invited, .refused: items = []
    case .unknown: items = nil
    }
  }
}

extension TableOperation {
  /// The items that the operation names.
  fileprivate var namedItems: ItemList {
    switch kind {
    case .reorder(let difference, _): difference.sources
    case .remove(let items), .perform(_, let items, _): items
    case .update(let item, _, _): .one(item)
    case .insert, .undo, .unknown, .invalid: []
    }
  }

  /// The provisional ids of the items that the operation may create.
  var provisionalIDs: [ItemID] {
    let count =
      switch kind {
      case .insert(let items, _): items.count
      case .reorder(let difference, _): difference.sources.count
      case .remove, .update, .perform, .undo, .unknown, .invalid: 0
      }
    return (0..<min(count, ItemID.provisionalNumbersMax)).map { .provisional(operation: sequence, number: $0) }
  }
}
