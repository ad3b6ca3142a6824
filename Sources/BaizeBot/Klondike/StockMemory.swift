/// What a player who watches knows of the stock.
///
/// Neither drawing nor recycling changes the order in which the cards come round: the waste from its bottom, then the
/// stock from its top, is one cycle, out of which cards are only ever taken. So a card once seen on the waste stays known
/// when it goes back face down, under whatever id.
struct StockMemory: Sendable {
  /// In the order in which the cards come; what was not seen yet is unknown, and stands behind all that was.
  private(set) var cycle: [Card] = []

  /// Brings the memory up to the table.
  ///
  /// - Parameters:
  ///   - waste: From the bottom.
  ///   - stockCount: How many cards lie in the stock.
  ///   - gone: The cards seen elsewhere than on the waste, as bits by code.
  mutating func look(waste: [Card], stockCount: Int, gone: UInt64) {
    var seen = gone
    for card in waste { seen |= card.bit }
    // What lies on the waste is the head of the cycle; what is remembered of the rest follows it in its old order.
    var rest = cycle.filter { $0 != .unknown && seen & $0.bit == 0 }
    if rest.count > stockCount { rest = [] }
    cycle = waste + rest + Array(repeating: .unknown, count: stockCount - rest.count)
  }
}
