import BaizeTable

/// The collections and options of a klondike table, read from its table type.
struct KlondikeLayout: Sendable {
  let piles: [CollectionHandle]
  let stock: CollectionHandle
  let waste: CollectionHandle
  /// In the order of ``Card/suits``.
  let foundations: [CollectionHandle]
  /// The number of cards in a draw.
  let drawCount: Int
  /// Whether an empty pile accepts any card instead of only kings.
  let takesAnyOnEmpty: Bool
  /// Whether cards may be moved from the foundations back to piles.
  let liftsFoundations: Bool

  static let drawAction = "draw"

  /// Creates the layout of a table type; `nil` if the type lacks klondike's collections or its draw.
  init?(_ type: TableType) {
    piles = (0..<KlondikeBoard.pilesCount).compactMap { type.handle(of: "pile/\($0)") }
    foundations = Card.suits.compactMap { type.handle(of: "foundation/\($0)") }
    guard piles.count == KlondikeBoard.pilesCount, foundations.count == Card.suits.count,
      let stock = type.handle(of: "stock"), let waste = type.handle(of: "waste"),
      type.actions.contains(where: { $0.name == Self.drawAction })
    else { return nil }
    self.stock = stock
    self.waste = waste
    drawCount = Int(type.numericOption("draw") ?? 1)
    takesAnyOnEmpty = type.option("emptyPile") == .text("any")
    liftsFoundations = type.option("foundationToTableau") != .text("false")
  }
}

extension TableType {
  fileprivate func option(_ name: String) -> AttributeValue? { options.first { $0.name == name }?.value }

  fileprivate func numericOption(_ name: String) -> Int64? {
    guard case .number(let number)? = option(name) else { return nil }
    return number
  }
}
