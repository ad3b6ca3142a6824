/// The player's knowledge of the stock.
///
/// Neither draws nor recycles change the order of the cards: the waste from its bottom and the stock from its top form a
/// cycle, from which cards are only taken. So a card seen on the waste stays known when it returns face down with a new
/// id.
struct StockMemory: Sendable {
  /// The cards in cyclic order. The unknown ones come last.
  private(set) var cycle: [Card] = []

  /// Updates the memory from the table.
  ///
  /// - Parameters:
  ///   - waste: The cards of the waste from the bottom.
  ///   - stockCount: The number of cards in the stock.
  ///   - elsewhere: The known cards outside of waste and stock, as bits by code.
  mutating func update(waste: [Card], stockCount: Int, elsewhere: UInt64) {
    var seen = elsewhere
    for card in waste { seen |= card.bit }
    // The waste is the head of the cycle; the remembered rest follows it in its old order.
    var rest = cycle.filter { $0 != .unknown && seen & $0.bit == 0 }
    if rest.count > stockCount { rest = [] }
    cycle = waste + rest + Array(repeating: .unknown, count: stockCount - rest.count)
  }
}
