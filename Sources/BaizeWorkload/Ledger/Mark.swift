package import BaizeTable

/// The name of an inserted item, in an attribute: it identifies the item, whatever its id.
package struct Mark: Hashable {
  package let player: Int
  package let number: Int

  private static let attribute = "mark"
  /// The player's last update of its item.
  private static let valueAttribute = "value"
  private static let numberBits = 32

  package init(player: Int, number: Int) {
    self.player = player
    self.number = number
  }

  /// - Returns: `nil` for an item that nobody marked.
  package init?(_ face: Face?) {
    guard case .number(let packed)? = face?[Self.attribute] else { return nil }
    self.init(player: Int(packed >> Self.numberBits), number: Int(packed & (1 << Self.numberBits - 1)))
  }

  /// Reads the mark of the item that an operation removes or updates.
  package init?(ofSubject kind: TableOperation.Kind, in state: TableState) {
    switch kind {
    // An alias has the mark of its item, which stays.
    case .remove(let items): self.init(items.first.flatMap(state.item).flatMap { $0.aliasOf == .none ? $0.face : nil })
    case .update(let item, _, _): self.init(state.face(of: item))
    case .reorder, .insert, .perform, .undo, .unknown, .invalid: return nil
    }
  }

  package var newItem: NewItem {
    NewItem(attributes: [Attribute(Self.attribute, Int64(player << Self.numberBits | number))])
  }

  /// Returns the attribute of an update.
  package static func value(_ value: Int) -> Attribute { Attribute(valueAttribute, Int64(value)) }

  package static func value(in attributes: [Attribute]) -> Int? {
    guard case .number(let value)? = attributes.last(where: { $0.name == valueAttribute })?.value else { return nil }
    return Int(value)
  }
}

extension Mark: CustomStringConvertible {
  package var description: String { "item \(number) of player \(player)" }
}

/// A marked item in a table's final state.
package struct MarkedItem: Hashable {
  package let mark: Mark
  /// The value of the last update.
  package let value: Int?

  package init(mark: Mark, value: Int?) {
    self.mark = mark
    self.value = value
  }

  /// - Returns: `nil` for an item that nobody marked, and for an alias.
  package init?(_ item: Item) {
    guard item.aliasOf == .none, let mark = Mark(item.face) else { return nil }
    self.init(mark: mark, value: Mark.value(in: item.face.attributes))
  }
}
