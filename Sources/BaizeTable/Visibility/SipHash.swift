/// SipHash-2-4: a pseudorandom function, which cannot be predicted without its key. J.-P. Aumasson and D. J.
/// Bernstein, "SipHash: a fast short-input PRF" (2012).
package struct SipHash: Sendable {
  /// The two words of the key.
  let (k0, k1): (UInt64, UInt64)

  /// Creates the function of a key: of its first eight bytes and its last, each as a little-endian number.
  package init(k0: UInt64, k1: UInt64) { (self.k0, self.k1) = (k0, k1) }

  /// Returns the hash of the eight bytes of `word`, the least significant first.
  package func callAsFunction(_ word: UInt64) -> UInt64 {
    var state = State(k0, k1)
    state.absorb(word)
    // The last block has the length of the message in its highest byte.
    state.absorb(8 << 56)
    return state.finish()
  }

  /// Returns the hash of `bytes`.
  package func callAsFunction(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var state = State(k0, k1)
    var (word, count): (UInt64, UInt64) = (0, 0)
    for byte in bytes {
      word |= UInt64(byte) << (8 * (count & 7))
      count += 1
      if count & 7 == 0 {
        state.absorb(word)
        word = 0
      }
    }
    state.absorb(word | count << 56)
    return state.finish()
  }

  private struct State {
    private var v: (UInt64, UInt64, UInt64, UInt64)

    init(_ k0: UInt64, _ k1: UInt64) {
      v = (
        k0 ^ 0x736F_6D65_7073_6575, k1 ^ 0x646F_7261_6E64_6F6D, k0 ^ 0x6C79_6765_6E65_7261, k1 ^ 0x7465_6462_7974_6573
      )
    }

    mutating func absorb(_ block: UInt64) {
      v.3 ^= block
      for _ in 0..<2 { mix() }
      v.0 ^= block
    }

    mutating func finish() -> UInt64 {
      v.2 ^= 0xFF
      for _ in 0..<4 { mix() }
      return v.0 ^ v.1 ^ v.2 ^ v.3
    }

    private mutating func mix() {
      v.0 &+= v.1
      v.1 = v.1.rotated(13) ^ v.0
      v.0 = v.0.rotated(32)
      v.2 &+= v.3
      v.3 = v.3.rotated(16) ^ v.2
      v.0 &+= v.3
      v.3 = v.3.rotated(21) ^ v.0
      v.2 &+= v.1
      v.1 = v.1.rotated(17) ^ v.2
      v.2 = v.2.rotated(32)
    }
  }
}

extension UInt64 {
  fileprivate func rotated(_ bits: UInt64) -> UInt64 { self &<< bits | self &>> (64 - bits) }
}
