import BaizeTable

/// The name that a player gives to an item that it makes, in an attribute: by it the item is found again, whatever its id.
struct Mark: Hashable {
  let player: Int
  let number: Int

  private static let attribute = "mark"
  /// What the player last set on an item of its own.
  private static let valueAttribute = "value"
  private static let numberBits = 32

  init(player: Int, number: Int) {
    self.player = player
    self.number = number
  }

  /// - Returns: `nil` for an item that nobody marked.
  init?(_ attributes: [Attribute]) {
    for case .number(let packed)? in attributes.filter({ $0.name == Self.attribute }).map(\.value) {
      self.init(player: Int(packed >> Self.numberBits), number: Int(packed & (1 << Self.numberBits - 1)))
      return
    }
    return nil
  }

  init?(_ face: Face?) {
    guard let face, let mark = Mark(face.attributes) else { return nil }
    self = mark
  }

  var newItem: NewItem {
    NewItem(attributes: [Attribute(Self.attribute, Int64(player << Self.numberBits | number))])
  }

  /// What an update sets, and what it was set to.
  static func value(_ value: Int) -> Attribute { Attribute(valueAttribute, Int64(value)) }

  static func value(in attributes: [Attribute]) -> Int? {
    for case .number(let value)? in attributes.filter({ $0.name == valueAttribute }).map(\.value) { return Int(value) }
    return nil
  }
}

extension Mark: CustomStringConvertible {
  var description: String { "item \(number) of player \(player)" }
}

/// An item as a table holds it in the end.
struct MarkedItem: Hashable {
  let mark: Mark
  /// What the last update set.
  let value: Int?
}
