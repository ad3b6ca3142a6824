/// The random source of a table: shuffles and ids draw from it, and from nothing else.
///
/// A pure target has no random source of its own. The daemon passes the system's; tests, demos and load tools pass a
/// seed, and a seed gives the same sequence for ever.
public struct RandomSource: Sendable {
  private var seeded: SplitMix64
  private let system: (@Sendable () -> UInt64)?

  /// Creates a source that repeats for the same `seed`. Anyone who knows the seed can predict every shuffle.
  public init(seed: UInt64) {
    seeded = SplitMix64(state: seed)
    system = nil
  }

  /// Creates a source that draws each word from `next`, such as the system's.
  public init(_ next: @escaping @Sendable () -> UInt64) {
    seeded = SplitMix64(state: 0)
    system = next
  }

  /// Returns an independent source: the system's again, or one with a seed drawn from this source.
  public mutating func split() -> RandomSource {
    system == nil ? RandomSource(seed: seeded.next()) : self
  }

  /// Returns the next 64 bits.
  public mutating func next() -> UInt64 {
    if let system { system() } else { seeded.next() }
  }

  /// The next 64 bits of a seeded source, which still come next; of another source, some that no one else gets.
  package var peeked: UInt64 {
    var source = self
    return source.next()
  }

  /// Returns a number in `0 ..< bound`, each equally likely.
  ///
  /// - Parameter bound: At least 1.
  /// - Complexity: O(1) expected. Rejection by multiplication, after D. Lemire, "Fast Random Integer Generation in an
  ///   Interval" (2019).
  public mutating func next(below bound: UInt64) -> UInt64 {
    precondition(bound > 0, "no number below \(bound)")
    var product = next().multipliedFullWidth(by: bound)
    if product.low < bound {
      let threshold = (0 &- bound) % bound
      while product.low < threshold { product = next().multipliedFullWidth(by: bound) }
    }
    return product.high
  }

  /// Shuffles `elements`: Fisher–Yates, written out so that a seed gives the same order in every version of the
  /// standard library.
  public mutating func shuffle<Element>(_ elements: inout [Element]) {
    guard elements.count > 1 else { return }
    for last in stride(from: elements.count - 1, to: 0, by: -1) {
      elements.swapAt(last, Int(next(below: UInt64(last + 1))))
    }
  }
}

/// The SplitMix64 generator: G. Steele, D. Lea and C. Flood, "Fast Splittable Pseudorandom Number Generators" (2014).
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator that starts at `state`.
  public init(state: UInt64) { self.state = state }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  /// Applies the generator's output function: a bijection that spreads every bit over all others.
  @inlinable public static func mix(_ word: UInt64) -> UInt64 {
    var mixed = word
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
