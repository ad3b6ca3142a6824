import BaizeTable

// Generates operations that a daemon refuses.
extension OperationGenerator {
  /// Returns an operation with one of several mistakes.
  mutating func illegal() -> TableOperation.Kind {
    let nowhere = ItemID(rawValue: 1 << 50)
    let collection = collection()
    let item = item(in: collection)
    let here = Destination.end(of: collection)
    switch below(10) {
    case 0: return .move([nowhere], to: here)
    case 1: return .move(item.map { [$0, $0] } ?? [nowhere, nowhere], to: here)
    case 2: return .move([], to: here)
    case 3: return .move([item ?? nowhere], to: .end(of: CollectionHandle(rawValue: 1 << 20)))
    case 4: return .move([item ?? nowhere], to: .before(nowhere, in: collection))
    case 5: return .undo(.zero)
    case 6: return .update(nowhere, attributes: [Attribute("note", 1)], representations: [])
    default: return forbiddenDrop() ?? .perform(action: "no-such-action", items: [], nil)
    }
  }

  /// Returns a drop that the table type's rules forbid.
  private mutating func forbiddenDrop() -> TableOperation.Kind? {
    for _ in 0..<8 {
      guard let item = item(in: collection()) else { continue }
      let difference = ReorderDifference(sources: [item], destination: .end(of: collection()))
      let verdict = state.dropConfiguration(for: difference, by: seat)
      if verdict.operation == .forbidden { return .reorder(difference, suggested: []) }
    }
    return nil
  }
}
