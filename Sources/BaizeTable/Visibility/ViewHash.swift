/// The hash by which a replica detects that it has diverged: the same in every language (`Protocol/view-hash.md`). It
/// guards against mistakes, not against malice.
///
/// Orders are hashed as polynomials in B over the prime 2⁶¹ − 1, so that the hashes of two halves can be combined
/// without their items. The visible parts of the items are summed, so that a change costs no more than the items it
/// changes.
public enum ViewHash {
  /// The Mersenne prime 2⁶¹ − 1.
  static let prime: UInt64 = (1 << 61) - 1
  /// B: the digits of π, below the prime.
  static let base: UInt64 = 0x1415_9265_3589_7932

  /// Returns the hash of an item's id, in 0 ..< prime.
  static func itemHash(_ id: ItemID) -> UInt64 { SplitMix64.mix(id.rawValue) % prime }

  /// Returns the hash of two concatenated sequences.
  ///
  /// - Parameter power: B to the power of the length of the right one.
  static func concatenate(_ left: UInt64, _ right: UInt64, power: UInt64) -> UInt64 {
    add(multiply(left, power), right)
  }

  static func multiply(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    // 2⁶¹ ≡ 1, so the bits above the 61st are added to those below.
    return add(product.low & prime, product.high << 3 | product.low >> 61)
  }

  private static func add(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let sum = left &+ right
    return sum >= prime ? sum &- prime : sum
  }
}

/// A hash of bytes: FNV-1a in 64 bits (G. Fowler, L. Noll, K.-P. Vo), with SplitMix64's output function on top, since the
/// results are added up.
package struct ByteHash {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  package init() {}

  package mutating func combine(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }

  /// Adds eight bytes, the least significant first.
  mutating func combine(_ word: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) { combine(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
  }

  /// Adds the length in bytes as a word, then the UTF-8.
  mutating func combine(_ text: String) {
    combine(UInt64(text.utf8.count))
    for byte in text.utf8 { combine(byte) }
  }

  mutating func combine(_ bytes: [UInt8]) {
    combine(UInt64(bytes.count))
    for byte in bytes { combine(byte) }
  }

  /// Adds the name, then 0 for no value, 1 and the number, or 2 and the text.
  mutating func combine(_ attribute: Attribute) {
    combine(attribute.name)
    switch attribute.value {
    case nil: combine(0 as UInt8)
    case .number(let number):
      combine(1 as UInt8)
      combine(UInt64(bitPattern: number))
    case .text(let text):
      combine(2 as UInt8)
      combine(text)
    }
  }

  package var value: UInt64 { SplitMix64.mix(state) }
}
