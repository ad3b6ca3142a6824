package import BaizeTable

extension ClientAction {
  /// Returns the action's operation at a table in a participant's view; `nil` if there is no item for it.
  ///
  /// - Parameter last: The number of the last operation of the one who acts.
  package func operation(at state: TableState, after last: SequenceNumber) -> TableOperation.Kind? {
    switch self {
    case .move(let spots, let gap): Self.reorder(spots, gap, [], state)
    case .copy(let spots, let gap): Self.reorder(spots, gap, .copy, state)
    case .alias(let spots, let gap): Self.reorder(spots, gap, .alias, state)
    case .insert(let count, let gap): .insert(Self.newItems(count, at: state, after: last), gap.destination(in: state))
    case .remove(let spots): .remove(Self.items(spots, in: state))
    case .update(let spot, let note):
      // The number of what opens a collection is its limit.
      spot.item(in: state).map {
        let attribute = state.collectionOpened(by: $0) == nil ? "note" : "number"
        return .update($0, attributes: [Attribute(attribute, note)], representations: [])
      }
    case .perform(let action, let spots): .perform(action: action, items: Self.items(spots, in: state), nil)
    case .undo(let back):
      .undo(SequenceNumber(rawValue: last.rawValue - min(last.rawValue, UInt64(clamping: back))))
    case .host(let action): action.operation
    case .invalid(let invalid, let spot, let gap):
      invalid.operation(spot.item(in: state) ?? ItemID(rawValue: 1), gap.destination(in: state))
    case .forced(let action): action.operation(at: state, after: last)
    }
  }

  /// Whether the operation is sent even if the rules refuse it.
  package var isForced: Bool {
    if case .forced = self { true } else { false }
  }

  private static func reorder(
    _ spots: [Spot], _ gap: Gap, _ suggested: DropOperation.Set, _ state: TableState
  ) -> TableOperation.Kind? {
    let sources = items(spots, in: state)
    guard !sources.isEmpty else { return nil }
    return .move(sources, to: gap.destination(in: state), suggested: suggested)
  }

  private static let keysCount: UInt64 = 12

  private static func items(_ spots: [Spot], in state: TableState) -> ItemList {
    var items: [ItemID] = []
    for spot in spots {
      if let item = spot.item(in: state), !items.contains(item) { items.append(item) }
    }
    return ItemList(items)
  }

  /// - Parameter last: Determines the keys, of which there are few.
  private static func newItems(_ count: Int, at state: TableState, after last: SequenceNumber) -> [NewItem] {
    (0..<min(max(0, count), TableLimits.itemsPerOperationMax + 1)).map { number in
      let key = state.type.key.map { Attribute($0, Int64((last.rawValue &+ UInt64(number)) % keysCount)) }
      return NewItem(
        attributes: [Attribute("number", Int64(number)), key].compactMap(\.self),
        representations: number % 2 == 0 ? [Representation(contentType: "text/plain", data: [65])] : [])
    }
  }
}

extension Spot {
  /// Returns the item at a position, from the next collection that is not empty if there is none.
  package func item(in state: TableState) -> ItemID? {
    let handles = state.handles
    for step in handles.indices {
      let handle = handles[(collection.wrapped(by: handles.count) + step) % handles.count]
      let count = state.visibleCount(in: handle)
      if count > 0 { return state.item(at: offset.wrapped(by: count), in: handle) }
    }
    return nil
  }
}

extension Gap {
  /// Returns the destination. A collection that an item opens is named by its handle in front of an item, and by the item
  /// that opens it at the end.
  package func destination(in state: TableState) -> Destination {
    let handle = state.handles[collection.wrapped(by: state.handles.count)]
    let count = state.count(in: handle)
    guard let before, count > 0, let item = state.item(at: before.wrapped(by: count), in: handle) else {
      let opener = state.opener(of: handle)
      return opener == .none ? .end(of: handle) : Destination(openedBy: opener, position: .end)
    }
    return .before(item, in: handle)
  }
}

extension Int {
  /// Returns the remainder, valid for every number in a script.
  fileprivate func wrapped(by count: Int) -> Int { Int(UInt(bitPattern: self) % UInt(count)) }
}
