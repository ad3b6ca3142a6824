/// The ids of items in private collections. They must not reveal when they were given, and none is given twice, even if
/// the item with it left the table long ago: so they are a counter, permuted by a cipher whose key never leaves the daemon.
///
/// ```
/// id = 2⁵¹ | cipher(number)        number = 0, 1, 2, … below 2⁵¹
/// ```
///
/// The cipher is a Feistel network of ten rounds whose halves have 25 and 26 bits, with SipHash as the round function:
/// M. Luby and C. Rackoff, "How to Construct Pseudorandom Permutations" (1988); J. Black and P. Rogaway, "Ciphers with
/// Arbitrary Finite Domains" (2002), for halves of different sizes; NIST SP 800-38G, FF1, for the number of rounds.
package struct PrivateIDs: Sendable {
  private let hash: SipHash
  /// The number of the next id.
  package private(set) var next: UInt64

  private static let rounds: UInt64 = 10
  private static let rightBits: UInt64 = 26
  private static let leftMask: UInt64 = 1 << 25 - 1
  private static let rightMask: UInt64 = 1 << rightBits - 1

  package init(key: (UInt64, UInt64), next: UInt64 = 0) {
    hash = SipHash(k0: key.0, k1: key.1)
    self.next = next
  }

  /// The key, a secret.
  package var key: (UInt64, UInt64) { (hash.k0, hash.k1) }

  /// Makes the next id.
  mutating func make() -> ItemID {
    defer { next &+= 1 }
    return ItemID(rawValue: ItemID.privateBit | encrypt(next & (ItemID.privateBit - 1)))
  }

  /// Continues behind an id that was given before.
  mutating func skip(_ id: ItemID) {
    if id.isPrivate { next = max(next, decrypt(id.rawValue & (ItemID.privateBit - 1)) + 1) }
  }

  /// Continues with the id of this number, unless it is behind already.
  package mutating func skip(to number: UInt64) { next = max(next, number) }

  private func encrypt(_ number: UInt64) -> UInt64 {
    var (left, right) = (number >> Self.rightBits, number & Self.rightMask)
    for round in 0..<Self.rounds { apply(round, &left, &right) }
    return left << Self.rightBits | right
  }

  private func decrypt(_ number: UInt64) -> UInt64 {
    var (left, right) = (number >> Self.rightBits, number & Self.rightMask)
    for round in (0..<Self.rounds).reversed() { apply(round, &left, &right) }
    return left << Self.rightBits | right
  }

  /// Changes one half by a hash of the other; doing it again undoes it.
  private func apply(_ round: UInt64, _ left: inout UInt64, _ right: inout UInt64) {
    if round % 2 == 0 {
      left ^= hash(round << 32 | right) & Self.leftMask
    } else {
      right ^= hash(round << 32 | left) & Self.rightMask
    }
  }
}
