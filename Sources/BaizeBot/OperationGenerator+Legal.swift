import BaizeSync
import BaizeTable

// Generates operations that the local rules allow.
extension OperationGenerator {
  /// Returns a random operation; `nil` if the rules forbid the one that was chosen.
  mutating func operation(mayGrow: Bool, mayShrink: Bool) -> TableOperation.Kind? {
    switch below(100) {
    case 0..<70: drop(suggested: [], mayGrow: mayGrow, mayShrink: mayShrink)
    case 70..<76: mayGrow ? drop(suggested: copying(), mayGrow: true, mayShrink: false) : nil
    case 76..<82: mayGrow ? insertion() : nil
    case 82..<86: mayShrink ? removal() : nil
    case 86..<92: update()
    default: action()
    }
  }

  /// Returns an operation that keeps its sources.
  private mutating func copying() -> DropOperation.Set {
    state.type.offersAliases && below(2) == 0 ? .alias : .copy
  }

  /// Returns a drop of some items at a destination that accepts them.
  private mutating func drop(
    suggested: DropOperation.Set, mayGrow: Bool, mayShrink: Bool
  ) -> TableOperation.Kind? {
    guard let sources = sources() else { return nil }
    func isInPlace(_ difference: ReorderDifference) -> Bool { state.isInPlace(difference, suggested: suggested) }
    let targets = state.dropConfigurations(for: ItemList(sources), suggested: suggested, by: seat).filter {
      switch $0.configuration.operation {
      case .move: !isInPlace(ReorderDifference(sources: sources, destination: .end(of: $0.collection)))
      case .copy, .alias: mayGrow
      case .delete: mayShrink
      case .cancel, .forbidden: false
      }
    }
    guard let target = one(of: targets) else { return nil }
    var difference = ReorderDifference(sources: sources, destination: .end(of: target.collection))
    for _ in 0..<3 {
      var candidate = difference
      candidate.destination.position = position(in: target.collection)
      let verdict = state.dropConfiguration(for: candidate, suggested: suggested, by: seat)
      guard verdict.operation == target.configuration.operation, !isInPlace(candidate) else { continue }
      difference = candidate
      break
    }
    return .reorder(difference, suggested: suggested)
  }

  private mutating func insertion() -> TableOperation.Kind? {
    let collection = collection()
    let rule = state.kind(of: collection).accept
    guard rule.inserts, state.isEnabled(collection) else { return nil }
    var items: [NewItem] = []
    for _ in 0...below(min(3, itemsMax)) {
      let title = "item \(below(1_000_000))"
      var item = NewItem(attributes: [Attribute("title", title)])
      if let contentType = one(of: rule.contentTypes) {
        item.face.representations = [Representation(contentType: contentType, data: Array(title.utf8))]
      }
      items.append(item)
    }
    let destination = Destination(collection: collection, position: position(in: collection))
    return allowed(.insert(items, destination))
  }

  private mutating func removal() -> TableOperation.Kind? {
    guard let sources = sources() else { return nil }
    let offersDelete = sources.allSatisfy { item in
      state.collection(of: item).map { state.kind(of: $0).lift.offers.contains(.delete) } ?? false
    }
    return offersDelete ? allowed(.remove(ItemList(sources))) : nil
  }

  private mutating func update() -> TableOperation.Kind? {
    let collection = collection()
    guard state.kind(of: collection).allowsUpdate, state.isEnabled(collection), let item = item(in: collection),
      state.face(of: item) != nil
    else { return nil }
    let note = Attribute(name: "note", value: chance(0.2) ? nil : .number(Int64(below(1_000))))
    return allowed(.update(item, attributes: [note], representations: []))
  }

  private mutating func action() -> TableOperation.Kind? {
    guard let action = one(of: state.type.actions) else { return nil }
    var items = ItemList()
    if action.items == .subject {
      guard let item = item(in: collection()) else { return nil }
      items.append(item)
    }
    return allowed(.perform(action: action.name, items: items, nil))
  }

  /// Returns the operation if it would change the table.
  ///
  /// It judges the operation on a copy of the table. On a large table that would cost too much, and the replica refuses
  /// an illegal operation without cost.
  private func allowed(_ kind: TableOperation.Kind) -> TableOperation.Kind? {
    guard state.itemCount <= Self.triedItemsMax else { return kind }
    let operation = TableOperation(
      sequence: replica.pending.last?.operation.sequence.next ?? SequenceNumber(rawValue: 1),
      base: replica.confirmedRevision, epoch: replica.epoch, unanswered: UInt32(replica.pending.count), kind: kind)
    var table = replica.table
    var memory = replica.answerMemory
    switch table.judge(operation, by: replica.author, memory: &memory) {
    case .accepted: return kind
    // Only the daemon can decide.
    case .refused(let refusal): return refusal.reason == .unpredictable ? kind : nil
    case .unchanged, .retry: return nil
    }
  }

  /// The number of items up to which operations are tried on a copy of the table.
  private static let triedItemsMax = 4_096
}
