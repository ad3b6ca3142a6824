import BaizeTransport

/// A service-level objective: conditions that a run meets or misses, such as `seen.p99 < 20ms, corrections < 1%, lost == 0`.
package struct Objective: Sendable, CustomStringConvertible {
  package let conditions: [Condition]

  package var description: String { conditions.map(\.description).joined(separator: ", ") }

  /// Parses conditions that are separated by commas.
  ///
  /// - Throws: ``RunFailure`` with a sentence for the author.
  package init(parsing text: String) throws {
    conditions = try text.split(separator: ",", omittingEmptySubsequences: false).map(Condition.init)
  }

  /// Returns the value of each condition in a run, and whether it is met.
  package func verdicts(on result: LoadResult) -> [Verdict] {
    conditions.map { condition in
      let value = condition.measure.value(in: result)
      return Verdict(condition: condition, value: value, isMet: value.map(condition.isMet) ?? false)
    }
  }

  /// The value of a condition in a run.
  package struct Verdict: Sendable, CustomStringConvertible {
    package let condition: Condition
    /// The value; `nil` if nothing was measured.
    package let value: Double?
    package let isMet: Bool

    package var description: String {
      let found = value.map(condition.measure.quantity.text) ?? "not measured"
      return "\(isMet ? "met   " : "MISSED")  \(condition): \(found)"
    }
  }
}

extension Objective {
  /// One condition: a measure, a comparison and a bound.
  package struct Condition: Sendable, CustomStringConvertible {
    package let measure: Measure
    package let comparison: Comparison
    /// In nanoseconds, as a share, as a count or per second.
    package let bound: Double
    package let description: String

    fileprivate init(_ text: Substring) throws {
      let words = text.split(separator: " ").joined(separator: " ")
      description = words
      guard let comparison = Comparison.allCases.first(where: { words.contains($0.rawValue) }),
        let range = words.firstRange(of: comparison.rawValue)
      else {
        throw RunFailure(
          "'\(words)' is no condition; expected a measure, one of \(Comparison.all) and a bound, as in 'seen.p99 < 20ms'"
        )
      }
      self.comparison = comparison
      measure = try Measure(String(words[..<range.lowerBound]).trimmed, in: words)
      let bound = String(words[range.upperBound...]).trimmed
      guard let number = measure.quantity.parse(bound) else {
        throw RunFailure("'\(words)' is no condition: '\(bound)' is not \(measure.quantity.expected)")
      }
      self.bound = number
    }

    func isMet(_ value: Double) -> Bool {
      switch comparison {
      case .atMost: value <= bound
      case .atLeast: value >= bound
      case .equal: value == bound
      case .below: value < bound
      case .above: value > bound
      }
    }
  }

  /// The comparisons, those first whose beginning is another.
  package enum Comparison: String, CaseIterable, Sendable {
    case atMost = "<="
    case atLeast = ">="
    case equal = "=="
    case below = "<"
    case above = ">"

    fileprivate static var all: String { "< <= == >= >" }
  }

  /// What a number counts.
  package enum Quantity: Sendable {
    case nanoseconds
    case share
    case count
    case perSecond

    fileprivate var expected: String {
      switch self {
      case .nanoseconds: "a time with its unit (ns, us, ms or s), as 20ms"
      case .share: "a percentage, as 1%"
      case .count: "a count, as 0"
      case .perSecond: "a number per second, as 1000"
      }
    }

    fileprivate func parse(_ text: String) -> Double? {
      let units: [(String, Double)] =
        switch self {
        case .nanoseconds: [("ns", 1), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)]
        case .share: [("%", 0.01)]
        case .count, .perSecond: [("", 1)]
        }
      guard let (unit, factor) = units.first(where: { text.hasSuffix($0.0) }) else { return nil }
      let digits = String(text.dropLast(unit.count)).trimmed
      let isPlain = digits.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".")
      }
      guard isPlain, let number = Double(digits), number.isFinite else { return nil }
      return number * factor
    }

    fileprivate func text(_ value: Double) -> String {
      switch self {
      case .nanoseconds: LoadResult.short(UInt64(value))
      case .share: LoadResult.percent(value)
      case .count, .perSecond: LoadResult.fixed(value, 0)
      }
    }
  }

  /// A value of a result, by its name.
  package struct Measure: Sendable {
    private enum Source: Sendable {
      /// A percentile of a histogram; the share 1 is the maximum.
      case time(@Sendable (LoadResult) -> Histogram, share: Double)
      case value(@Sendable (LoadResult) -> Double)
    }

    package let quantity: Quantity
    private let source: Source

    private static let times: [(name: String, histogram: @Sendable (LoadResult) -> Histogram)] = [
      ("response", { $0.response }), ("service", { $0.total.toOwn }), ("seen", { $0.total.toLast }),
      ("join", { $0.total.toJoin }),
    ]

    private static let values: [(name: String, quantity: Quantity, value: @Sendable (LoadResult) -> Double)] = [
      ("corrections", .share, { $0.correctedShare }),
      ("rebased", .share, { Double($0.total.rebased) / Double(max(1, $0.total.judged)) }),
      ("refused", .share, { Double($0.total.refused) / Double(max(1, $0.total.judged)) }),
      ("unsent", .share, { Double($0.total.unsent) / Double(max(1, $0.total.planned)) }),
      ("lost", .count, { Double($0.faults.lost) }), ("doubled", .count, { Double($0.faults.doubled) }),
      ("reordered", .count, { Double($0.faults.reordered) }), ("diverged", .count, { Double($0.faults.diverged) }),
      ("judged", .perSecond, { $0.judgedPerSecond }), ("deliveries", .perSecond, { $0.deliveriesPerSecond }),
    ]

    /// The names of all measures, for a help.
    package static var names: String {
      "times (\(times.map(\.name).joined(separator: ", ")), with .p50, .p90, .p99, .p99.9 or any other percentile, or .max); "
        + "shares (\(named(.share))); counts (\(named(.count))); per second (\(named(.perSecond)))"
    }

    private static func named(_ quantity: Quantity) -> String {
      values.filter { $0.quantity == quantity }.map(\.name).joined(separator: ", ")
    }

    fileprivate init(_ name: String, in condition: String) throws {
      if let known = Self.values.first(where: { $0.name == name }) {
        (quantity, source) = (known.quantity, .value(known.value))
        return
      }
      let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
      guard let known = Self.times.first(where: { $0.name == parts.first }) else {
        throw RunFailure("'\(condition)' is no condition: there is no measure '\(name)'; there are \(Self.names)")
      }
      guard parts.count == 2, let share = Self.share(parts[1]) else {
        throw RunFailure(
          "'\(condition)' is no condition: '\(known.name)' needs a percentile, as in '\(known.name).p99', or '.max'")
      }
      (quantity, source) = (.nanoseconds, .time(known.histogram, share: share))
    }

    private static func share(_ text: String) -> Double? {
      if text == "max" { return 1 }
      guard text.hasPrefix("p"), let percent = Quantity.share.parse(text.dropFirst() + "%"), percent > 0, percent < 1
      else {
        return nil
      }
      // 99.9 hundredths are not 0.999: the rank would be the next one.
      return (percent * 1e9).rounded() / 1e9
    }

    func value(in result: LoadResult) -> Double? {
      switch source {
      case .value(let value): return value(result)
      case .time(let histogram, let share):
        let times = histogram(result)
        return times.count == 0 ? nil : Double(share == 1 ? times.maximum : times.percentile(share))
      }
    }
  }
}

extension String {
  /// The text without spaces at its ends.
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
