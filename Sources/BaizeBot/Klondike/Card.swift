import BaizeTable

/// A playing card in one byte: 1 to 52, by suit in the order clubs, diamonds, hearts, spades. 0 is no card or a card with
/// an unknown face.
struct Card: Hashable, Sendable, BitwiseCopyable {
  let code: UInt8

  static let unknown = Card(code: 0)

  init(code: UInt8) { self.code = code }

  /// - Parameters:
  ///   - suit: 0 to 3.
  ///   - rank: 1 to 13.
  init(suit: Int, rank: Int) { code = UInt8(truncatingIfNeeded: suit * 13 + rank) }

  /// Creates the card that a face shows; `nil` if it shows none.
  init?(_ face: Face) {
    guard case .number(let rank)? = face["rank"], 1...13 ~= rank, case .text(let text)? = face["suit"],
      let suit = Self.suits.firstIndex(of: text)
    else { return nil }
    self.init(suit: suit, rank: Int(rank))
  }

  static let suits = ["clubs", "diamonds", "hearts", "spades"]

  var suit: Int { Int(code &- 1) / 13 }
  var rank: Int { Int(code &- 1) % 13 + 1 }
  var isRed: Bool { code > 13 && code <= 39 }

  /// The card as one bit of 64; 0 if it is unknown.
  var bit: UInt64 { code == 0 ? 0 : 1 << UInt64(code) }

  /// The cards that may be placed on this one in a pile, as bits.
  var followers: UInt64 {
    guard code != 0, rank > 1 else { return 0 }
    let clubs = 1 << UInt64(rank - 1) as UInt64
    return isRed ? clubs | clubs << 39 : clubs << 13 | clubs << 26
  }

  static let kings: UInt64 = 1 << 13 | 1 << 26 | 1 << 39 | 1 << 52

  /// Returns whether this card may be placed on `other` in a pile.
  func fits(on other: Card) -> Bool { other.code != 0 && other.rank == rank + 1 && other.isRed != isRed }
}
