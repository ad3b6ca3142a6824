import BaizeTransport
import Foundation

/// The result of a run.
package struct LoadResult {
  package let options: LoadOptions
  package private(set) var seconds = 0.0
  package private(set) var total = LoadCounters()
  /// Deliveries per second, second by second.
  package private(set) var rates: [Double] = []
  package var faults = LoadFaults()
  /// The share of one core that the harness used, and that the daemon used.
  package private(set) var harnessLoad = 0.0
  package private(set) var daemonLoad: Double?

  package init(options: LoadOptions) { self.options = options }

  package mutating func add(_ counters: LoadCounters, seconds: Double) {
    self.seconds += seconds
    total.deliveries += counters.deliveries
    total.accepted += counters.accepted
    total.rebased += counters.rebased
    total.refused += counters.refused
    total.unchanged += counters.unchanged
    total.retried += counters.retried
    total.bytes += counters.bytes
    total.toOwn.merge(counters.toOwn)
    total.toLast.merge(counters.toLast)
    if seconds > 0.5 { rates.append(Double(counters.deliveries) / seconds) }
  }

  package mutating func note(_ start: LoadSession.ClockReading, _ end: LoadSession.ClockReading) {
    let wall = Double(end.time - start.time)
    harnessLoad = Double(end.own - start.own) / wall
    if let from = start.daemon, let to = end.daemon { daemonLoad = (to - from) / (wall / 1e9) }
  }

  package var deliveriesPerSecond: Double { Double(total.deliveries) / seconds }

  /// The daemon's processor time per delivery, in nanoseconds.
  package var daemonNanosecondsPerDelivery: Double? {
    daemonLoad.map { $0 * seconds * 1e9 / Double(max(1, total.deliveries)) }
  }

  /// The daemon's processor time per accepted operation, in nanoseconds.
  package var daemonNanosecondsPerOperation: Double {
    (daemonLoad ?? .nan) * seconds * 1e9 / Double(max(1, total.accepted))
  }

  /// Whether the harness had no time left: then it, not the daemon, was measured.
  package var isHarnessLimited: Bool { harnessLoad > 0.95 && (daemonLoad ?? 0) < 0.95 }

  /// The result for people.
  package var text: String {
    var lines = [
      "\(options.tables) tables of \(options.players) players and \(options.spectators) spectators, "
        + "type \(options.tableType), window \(options.window), \(Self.fixed(seconds, 1)) s",
      "deliveries      \(Int(deliveriesPerSecond)) per second (\(total.deliveries) in all)",
      "operations      accepted \(perSecond(total.accepted))/s  refused \(perSecond(total.refused))/s  "
        + "rebased \(perSecond(total.rebased))/s  unchanged \(perSecond(total.unchanged))/s  "
        + "retried \(perSecond(total.retried))/s",
      "to own answer   \(Self.percentiles(total.toOwn))",
      "to last peer    \(Self.percentiles(total.toLast))",
    ]
    var load = "processor       harness \(Self.fixed(harnessLoad * 100, 0)) % of a core"
    if let daemonLoad, let nanoseconds = daemonNanosecondsPerDelivery {
      load += ", daemon \(Self.fixed(daemonLoad * 100, 0)) %, \(Self.fixed(nanoseconds, 0)) ns per delivery"
    }
    lines.append(load)
    if isHarnessLimited { lines.append("note            the harness' own core was the limit, not the daemon") }
    lines.append(
      "comparison      gaps \(faults.gaps)  lost \(faults.lost)  diverged \(faults.diverged)"
        + (faults.isNone ? "  every copy has the daemon's hash" : ""))
    for (reason, count) in faults.goodbyes.sorted(by: { $0.key < $1.key }) {
      lines.append("ended \(count) x  \(reason)")
    }
    return lines.joined(separator: "\n")
  }

  /// The result for programs.
  package var json: [String: Any] {
    var json: [String: Any] = [
      "tables": options.tables, "players": options.players, "spectators": options.spectators,
      "type": options.tableType, "window": options.window, "seconds": seconds, "seed": options.seed,
      "deliveriesPerSecond": deliveriesPerSecond, "deliveriesPerSecondBySecond": rates,
      "deliveries": total.deliveries, "accepted": total.accepted, "refused": total.refused,
      "rebased": total.rebased, "unchanged": total.unchanged, "retried": total.retried, "bytes": total.bytes,
      "ownAnswerNanoseconds": Self.json(total.toOwn), "lastPeerNanoseconds": Self.json(total.toLast),
      "harnessLoad": harnessLoad, "isHarnessLimited": isHarnessLimited, "gaps": faults.gaps, "lost": faults.lost,
      "diverged": faults.diverged, "ended": faults.goodbyes,
    ]
    if let daemonLoad { json["daemonLoad"] = daemonLoad }
    if let nanoseconds = daemonNanosecondsPerDelivery { json["daemonNanosecondsPerDelivery"] = nanoseconds }
    return json
  }

  private func perSecond(_ count: UInt64) -> Int { Int(Double(count) / seconds) }

  private static func json(_ histogram: Histogram) -> [String: UInt64] {
    [
      "p50": histogram.percentile(0.5), "p99": histogram.percentile(0.99), "p999": histogram.percentile(0.999),
      "max": histogram.maximum,
    ]
  }

  private static func percentiles(_ histogram: Histogram) -> String {
    "p50 \(microseconds(histogram.percentile(0.5)))  p99 \(microseconds(histogram.percentile(0.99)))  "
      + "p99.9 \(microseconds(histogram.percentile(0.999)))  max \(microseconds(histogram.maximum))"
  }

  package static func microseconds(_ nanoseconds: UInt64) -> String {
    nanoseconds < 10_000_000 ? "\(nanoseconds / 1_000) µs" : "\(nanoseconds / 1_000_000) ms"
  }

  package static func fixed(_ number: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", number) }
}
