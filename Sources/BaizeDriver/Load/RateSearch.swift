/// The search for the highest rate that holds an objective: the rate is doubled until it does not hold, then the interval between
/// is bisected, and what was found is confirmed for longer.
///
/// It is a function of the results alone.
package struct RateSearch {
  /// One run of the search.
  package struct Probe: Sendable, Equatable {
    package let rate: Int
    /// The length of the run as a multiple of the usual one.
    package let length: Int
    package let outcome: Outcome
  }

  package enum Outcome: Sendable, Equatable {
    case held
    case missed
    /// The generator could not keep to its plan: there is no more to learn above this rate.
    case late
  }

  /// The runs, in order.
  package private(set) var probes: [Probe] = []
  /// The highest rate that was confirmed; `nil` if none was.
  package private(set) var confirmed: Int?

  /// The interval is small enough when it is within this share of the rate.
  package static let precision = 0.1
  /// A rate is confirmed by a run that is so many times as long.
  package static let confirmationLength = 3
  /// The share of the rate that is taken off when a confirmation fails.
  private static let step = 0.1

  /// Whether the generator was the limit, not the daemon.
  package var isLimitedByGenerator: Bool {
    let above = probes.filter { $0.rate > confirmed ?? 0 && $0.outcome != .held }
    return above.min { $0.rate < $1.rate }?.outcome == .late
  }

  /// Searches.
  ///
  /// - Parameters:
  ///   - range: The rates, in operations per second.
  ///   - run: Makes a run with a rate and a length.
  /// - Throws: What `run` throws.
  package init(_ range: ClosedRange<Int>, run: (_ rate: Int, _ length: Int) throws -> Outcome) rethrows {
    var (low, high) = (0, Int.max)
    var rate = range.lowerBound
    while try probe(rate, 1, run) {
      low = rate
      guard rate < range.upperBound else { break }
      rate = min(range.upperBound, rate * 2)
    }
    if low < rate { high = rate }
    while low > 0, high < .max, Double(high - low) > max(1, Double(high) * Self.precision) {
      let middle = low + (high - low) / 2
      if try probe(middle, 1, run) { low = middle } else { high = middle }
    }
    while low >= range.lowerBound {
      if try probe(low, Self.confirmationLength, run) {
        confirmed = low
        return
      }
      low = min(low - 1, Int(Double(low) * (1 - Self.step)))
    }
  }

  private mutating func probe(_ rate: Int, _ length: Int, _ run: (Int, Int) throws -> Outcome) rethrows -> Bool {
    let outcome = try run(rate, length)
    probes.append(Probe(rate: rate, length: length, outcome: outcome))
    return outcome == .held
  }
}
