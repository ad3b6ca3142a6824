import BaizeSync
import BaizeTable

/// Operations that the rules allow, as far as that can be told here.
extension Pick {
  /// Something to do, or `nil` where what came to mind is not allowed.
  mutating func operation(mayGrow: Bool, mayShrink: Bool) -> TableOperation.Kind? {
    switch below(100) {
    case 0..<70: drop(suggested: [], mayGrow: mayGrow, mayShrink: mayShrink)
    case 70..<76: mayGrow ? drop(suggested: .copy, mayGrow: true, mayShrink: false) : nil
    case 76..<82: mayGrow ? insertion() : nil
    case 82..<86: mayShrink ? removal() : nil
    case 86..<92: update()
    default: action()
    }
  }

  /// A drop of some items where the rules take them.
  private mutating func drop(
    suggested: DropOperation.Set, mayGrow: Bool, mayShrink: Bool
  ) -> TableOperation.Kind? {
    guard let sources = sources() else { return nil }
    let targets = state.dropConfigurations(for: ItemList(sources), suggested: suggested, by: seat).filter {
      switch $0.configuration.operation {
      case .move: true
      case .copy: mayGrow
      case .delete: mayShrink
      case .alias, .cancel, .forbidden: false
      }
    }
    guard let target = one(of: targets) else { return nil }
    var difference = ReorderDifference(sources: sources, destination: .end(of: target.collection))
    for _ in 0..<3 {
      var elsewhere = difference
      elsewhere.destination.position = position(in: target.collection)
      let verdict = state.dropConfiguration(for: elsewhere, suggested: suggested, by: seat)
      guard verdict.operation == target.configuration.operation else { continue }
      difference = elsewhere
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

  /// The operation, if it makes a difference here.
  ///
  /// On a large table it is not tried: a copy of it would be dear, and what the replica's rules refuse costs nothing.
  private func allowed(_ kind: TableOperation.Kind) -> TableOperation.Kind? {
    guard state.itemCount <= Self.triedItemsMax else { return kind }
    let operation = TableOperation(
      sequence: replica.pending.last?.operation.sequence.next ?? SequenceNumber(rawValue: 1),
      base: replica.confirmedRevision, epoch: replica.epoch, unanswered: UInt32(replica.pending.count), kind: kind)
    var table = replica.table
    var memory = replica.answerMemory
    switch table.judge(operation, by: replica.author, memory: &memory) {
    case .accepted: return kind
    // What only the daemon can tell is worth asking.
    case .refused(let refusal): return refusal.reason == .unpredictable ? kind : nil
    case .unchanged, .retry: return nil
    }
  }

  /// Up to how many items a table may have for operations to be tried on a copy.
  private static let triedItemsMax = 4_096
}
