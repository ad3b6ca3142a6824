import BaizeTable
import BaizeTransport
import Foundation

/// A comparison of two runs, with intervals of confidence.
///
/// The intervals are those of a bootstrap (B. Efron): both runs are drawn again from their own seconds, with replacement, and the
/// figures of what was drawn are compared, many times. Seconds that depend on each other make them too narrow.
package struct LoadComparison {
  /// A figure of both runs.
  package struct Figure: Sendable {
    package let name: String
    package let unit: Unit
    /// In the first run, and in the second.
    package let values: (Double, Double)
    /// The change from the first to the second: relative, or the difference of shares. The interval has 95 % of what was drawn.
    package let change: ClosedRange<Double>
    package let verdict: Verdict
  }

  package enum Unit: Sendable {
    case perSecond
    case nanoseconds
    case share
  }

  package enum Verdict: String, Sendable {
    case better
    /// The change may be beyond the tolerance or not: the runs are too short to say.
    case undecided
    case same = "no difference"
    case worse = "REGRESSION"
  }

  package let figures: [Figure]

  package var isRegression: Bool { figures.contains { $0.verdict == .worse } }

  /// The answer in one sentence.
  package var conclusion: String {
    let worse = figures.filter { $0.verdict == .worse }.map(\.name)
    if !worse.isEmpty { return "Worse than before: \(worse.joined(separator: ", "))." }
    let undecided = figures.filter { $0.verdict == .undecided }.map(\.name)
    return undecided.isEmpty
      ? "Nothing has become worse."
      : "Nothing has certainly become worse; longer runs would decide on \(undecided.joined(separator: ", "))."
  }

  /// The change that is no regression yet, unless given: relative, or the difference of shares.
  package static let tolerance = 0.05
  package static let toleranceOfShares = 0.01
  private static let drawsCount = 500

  /// - Parameters:
  ///   - tolerance: The relative change that is no regression yet.
  ///   - seed: The seed of the draws.
  /// - Throws: ``RunFailure`` if the first run is no baseline. Complexity: O(draws × seconds × buckets).
  package init(
    _ first: LoadRecord, _ second: LoadRecord, tolerance: Double = LoadComparison.tolerance, seed: UInt64 = 1
  ) throws {
    guard first.isCorrect else {
      throw RunFailure("the first run is no baseline: it lost, doubled or changed something")
    }
    guard second.isCorrect else {
      throw RunFailure("the second run lost, doubled or changed something: it has no figures")
    }
    var random = RandomSource(seed: seed)
    let (one, other) = (Run(first), Run(second))
    var changes: [[Double]] = Array(repeating: [], count: Self.measures.count)
    for _ in 0..<Self.drawsCount {
      let values = (one.figures(of: one.draw(&random)), other.figures(of: other.draw(&random)))
      for (number, measure) in Self.measures.enumerated() {
        changes[number].append(measure.change(from: values.0[number], to: values.1[number]))
      }
    }
    let (before, after) = (one.figures(of: one.all), other.figures(of: other.all))
    figures = Self.measures.enumerated().map { number, measure in
      let drawn = changes[number].sorted()
      let (low, high) = (drawn[drawn.count / 40], drawn[drawn.count - 1 - drawn.count / 40])
      let mark = measure.unit == .share ? Self.toleranceOfShares : tolerance
      let loss = measure.isHigherBetter ? -high...(-low) : low...high
      return Figure(
        name: measure.name, unit: measure.unit, values: (before[number], after[number]), change: low...high,
        verdict: Self.verdict(loss, mark))
    }
  }

  /// - Parameters:
  ///   - loss: The change for the worse.
  ///   - mark: The change that is no regression yet.
  private static func verdict(_ loss: ClosedRange<Double>, _ mark: Double) -> Verdict {
    if loss.lowerBound > mark { return .worse }
    if loss.upperBound < -mark { return .better }
    return loss.lowerBound >= -mark && loss.upperBound <= mark ? .same : .undecided
  }

  private struct Measure: Sendable {
    let name: String
    let unit: Unit
    var isHigherBetter = false

    func change(from one: Double, to other: Double) -> Double {
      unit == .share ? other - one : one == other ? 0 : other / max(one, .leastNonzeroMagnitude) - 1
    }
  }

  /// What ``Run/figures(of:)`` returns, in its order.
  private static let measures = [
    Measure(name: "judged", unit: .perSecond, isHigherBetter: true), Measure(name: "response p50", unit: .nanoseconds),
    Measure(name: "response p99", unit: .nanoseconds), Measure(name: "seen p50", unit: .nanoseconds),
    Measure(name: "seen p99", unit: .nanoseconds), Measure(name: "corrections", unit: .share),
  ]

  /// The intervals of a run, to be drawn from.
  private struct Run {
    private let intervals: [LoadRecord.Interval]
    private let response: Buckets
    private let seen: Buckets

    init(_ record: LoadRecord) {
      intervals = record.intervals
      response = Buckets(intervals.map(\.response))
      seen = Buckets(intervals.map(\.seen))
    }

    /// Every interval once.
    var all: [Int] { Array(repeating: 1, count: intervals.count) }

    /// Returns how often each interval is drawn.
    func draw(_ random: inout RandomSource) -> [Int] {
      var times = Array(repeating: 0, count: intervals.count)
      for _ in intervals { times[Int(random.next(below: UInt64(intervals.count)))] += 1 }
      return times
    }

    /// - Parameter times: How often each interval counts.
    func figures(of times: [Int]) -> [Double] {
      func sum(_ value: (LoadRecord.Interval) -> Double) -> Double {
        zip(intervals, times).reduce(0) { $0 + value($1.0) * Double($1.1) }
      }
      let judged = sum { Double($0.judged) }
      return [judged / sum(\.seconds)] + response.percentiles([0.5, 0.99], times)
        + seen.percentiles([0.5, 0.99], times) + [
          sum { Double($0.corrected) } / max(1, judged)
        ]
    }
  }

  /// The buckets of several histograms: only those with values, so that many draws cost little.
  private struct Buckets {
    private let values: [UInt64]
    /// By histogram, the indices of its buckets with their counts.
    private let counts: [[(index: Int, count: UInt64)]]

    init(_ histograms: [Histogram]) {
      let occupied = histograms.map(\.occupied)
      let values = Set(occupied.joined().map(\.upperBound)).sorted()
      let indices = Dictionary(uniqueKeysWithValues: zip(values, values.indices))
      self.values = values
      counts = occupied.map { $0.map { (indices[$0.upperBound] ?? 0, $0.count) } }
    }

    /// Returns percentiles of the histograms, each of which counts so many times, in nanoseconds; 0 without values.
    func percentiles(_ shares: [Double], _ times: [Int]) -> [Double] {
      var sums = Array(repeating: UInt64(0), count: values.count)
      for (histogram, times) in zip(counts, times) where times > 0 {
        for bucket in histogram { sums[bucket.index] &+= bucket.count &* UInt64(times) }
      }
      let count = sums.reduce(0, &+)
      return shares.map { share in
        let rank = UInt64((Double(count) * share).rounded(.up))
        var seen: UInt64 = 0
        for (value, sum) in zip(values, sums) {
          seen &+= sum
          if seen >= rank { return Double(value) }
        }
        return 0
      }
    }
  }
}

extension LoadComparison.Figure {
  /// The figure in one line.
  package var text: String {
    let changes = [change.lowerBound, change.upperBound].map {
      (unit == .share ? "%+.2f points" : "%+.1f %%", $0 * 100)
    }
    .map { LoadResult.format($0.0, $0.1) }
    return "\(name.padding(toLength: 14, withPad: " ", startingAt: 0))\(text(values.0)) → \(text(values.1))  "
      + "(\(changes[0]) … \(changes[1]))  \(verdict.rawValue)"
  }

  private func text(_ value: Double) -> String {
    switch unit {
    case .perSecond: LoadResult.fixed(value, 0) + "/s"
    case .nanoseconds: LoadResult.short(UInt64(max(0, value)))
    case .share: LoadResult.percent(value)
    }
  }
}
