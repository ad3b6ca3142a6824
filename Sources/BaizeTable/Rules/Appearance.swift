/// The way in which the items of a table type are shown, as its document's `show` says. No rule reads it.
public struct Appearance: Hashable, Sendable {
  /// The attributes of which the first that an item has is its title.
  public var titles: [String]
  /// The attribute with more about an item; `nil` for none.
  public var detail: String?
  /// The parts of a card's face, such as its rank and its suit; empty if items are not cards.
  public var face: [FacePart]
  /// The color of items; `nil` for that of all text.
  public var color: Color?
  /// The color of the backs of hidden items; `nil` for the viewer's choice.
  public var back: PaletteColor?

  /// Creates an appearance; by default everything is the viewer's choice.
  public init(
    titles: [String] = [], detail: String? = nil, face: [FacePart] = [], color: Color? = nil, back: PaletteColor? = nil
  ) {
    self.titles = titles
    self.detail = detail
    self.face = face
    self.color = color
    self.back = back
  }

  /// An attribute on the face of a card.
  public struct FacePart: Hashable, Sendable {
    /// The attribute's name.
    public let attribute: String
    /// The texts that stand for values, by the values' texts; any other value is shown as it is.
    public let texts: [String: String]

    /// Creates a part.
    public init(attribute: String, texts: [String: String] = [:]) {
      self.attribute = attribute
      self.texts = texts
    }

    /// Returns the text that is shown for a value.
    public func text(for value: AttributeValue) -> String { texts[value.plainText] ?? value.plainText }
  }

  /// The color of items.
  public enum Color: Hashable, Sendable {
    /// All items have the same one.
    case same(PaletteColor)
    /// An attribute decides, by the values' texts.
    case byValue(attribute: String, colors: [String: PaletteColor])
  }

  /// The colors that a document can name. Their shades are the viewer's.
  public enum PaletteColor: Hashable, Sendable {
    /// A color of that name.
    case black, blue, green, grey, orange, pink, purple, red, teal, yellow
  }

  /// The arrangement of a collection's items.
  public enum Layout: Hashable, Sendable {
    /// One on the other downwards, as the piles of a solitaire.
    case cascade
    /// One on the other across, as a hand.
    case fan
    /// One below the other.
    case list
    /// On top of each other: the last one shows.
    case pile
    /// Side by side.
    case row
  }
}

extension Appearance {
  /// Returns what is on the face of a card, such as `10♥`; `nil` if the item lacks a part of it, or items are not cards.
  public func cardName(of face: Face) -> String? {
    guard !self.face.isEmpty else { return nil }
    var name = ""
    for part in self.face {
      guard let value = face[part.attribute] else { return nil }
      name += part.text(for: value)
    }
    return name
  }

  /// Returns an item's title; `nil` if it has none of the attributes.
  public func title(of face: Face) -> AttributeValue? {
    for name in titles {
      if let value = face[name] { return value }
    }
    return nil
  }

  /// Returns an item's color; `nil` if the document says none.
  public func color(of face: Face) -> PaletteColor? {
    switch color {
    case .same(let color): color
    case .byValue(let attribute, let colors): face[attribute].flatMap { colors[$0.plainText] }
    case nil: nil
    }
  }
}

extension AttributeValue {
  /// The number in digits, or the text.
  fileprivate var plainText: String {
    switch self {
    case .number(let number): String(number)
    case .text(let text): text
    }
  }
}
