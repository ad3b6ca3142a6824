package import BaizeTransport
import Foundation

extension LoadResult {
  /// The result for people. The copies come first: a daemon that loses operations has no rate, and none is printed.
  ///
  /// - Parameter verdicts: Those of the objective, if there is one.
  package func text(_ verdicts: [Objective.Verdict] = []) -> String {
    var lines = [load, correctness]
    for (reason, count) in faults.goodbyes.sorted(by: { $0.key < $1.key }) {
      lines.append("ended           \(count) x  \(reason)")
    }
    lines.append(sending)
    lines.append(
      "judged          accepted \(total.accepted)  refused \(total.refused)  unchanged \(total.unchanged)  "
        + "to be retried \(total.retried)")
    lines.append(
      "corrected       \(Self.percent(correctedShare)) of the judged: taken back \(total.refused), changed "
        + "\(total.redirected); rebased \(total.rebased)")
    if !total.reasons.isEmpty { lines.append("refused for     \(reasons)") }
    if faults.isNone { lines += measured }
    lines += verdicts.map { "objective       \($0)" }
    lines.append(conclusion(verdicts))
    return lines.joined(separator: "\n")
  }

  /// A second in one line.
  package func line(_ counters: LoadCounters) -> String {
    let (judged, times) = (counters.judged, counters.answers(isPlanned: options.rate != nil))
    let sent = options.rate == nil ? "" : "planned \(counters.planned)  "
    return "\(Int(seconds.rounded())) s  \(sent)sent \(counters.sent)  judged \(judged)  refused \(counters.refused)  "
      + "deliveries \(counters.deliveries)  own p99 \(Self.short(times.percentile(0.99)))  "
      + "last p99 \(Self.short(counters.toLast.percentile(0.99)))"
  }

  // MARK: The lines

  private var load: String {
    let plan =
      options.rate.map {
        "open loop at \(Self.short($0)) operations per second, at most \(options.window) of a player in flight"
      } ?? "closed loop with \(options.window) of each player in flight"
    return "\(options.tables) tables of \(options.players) players and \(options.spectators) spectators, "
      + "type \(options.tableType), \(plan), \(Self.fixed(seconds, 1)) s"
  }

  private var correctness: String {
    "correct         lost \(faults.lost)  doubled \(faults.doubled)  out of order \(faults.reordered)  "
      + "diverged \(faults.diverged)" + (faults.isNone ? "  every copy has the daemon's hash" : "")
  }

  private var sending: String {
    guard options.rate != nil else { return "operations      sent \(total.sent)" }
    return "operations      planned \(total.planned)  sent \(total.sent)  unsent \(total.unsent)  "
      + "late \(total.late) (more than \(Self.short(LoadOptions.lateNanoseconds)) behind the plan)"
      + (total.passed > 0 ? "  nothing to do \(total.passed)" : "")
  }

  private var reasons: String {
    let ordered = total.reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return ordered.map { "\($0.key) \($0.value)" }.joined(separator: "  ")
  }

  private var measured: [String] {
    var lines = ["rate            \(Int(judgedPerSecond)) judged and \(Int(deliveriesPerSecond)) delivered per second"]
    if options.rate == nil {
      lines.append("to own answer   \(Self.percentiles(total.toOwn))")
    } else {
      lines.append("to own answer   \(Self.percentiles(total.response))  response: from the plan")
      lines.append("                \(Self.percentiles(total.toOwn))  service: from sending")
    }
    for (kind, times) in zip(OperationKind.allCases, total.kinds) where times.count > 0 {
      lines.append(
        "  \(kind.name.padding(toLength: 14, withPad: " ", startingAt: 0))\(Self.percentiles(times))  of \(times.count)"
      )
    }
    lines.append("to last peer    \(Self.percentiles(total.toLast))")
    if total.toJoin.count > 0 {
      lines.append("to first state  \(Self.percentiles(total.toJoin))  of \(total.toJoin.count) who join at once")
    }
    var load = "processor       harness \(Self.fixed(harnessLoad * 100, 0)) % of a core"
    if let daemonLoad, let nanoseconds = daemonNanosecondsPerDelivery {
      load += ", daemon \(Self.fixed(daemonLoad * 100, 0)) %, \(Self.fixed(nanoseconds, 0)) ns per delivery"
    }
    return lines + [load]
  }

  /// The answer in one sentence.
  package func conclusion(_ verdicts: [Objective.Verdict] = []) -> String {
    if !faults.isNone {
      return
        "The daemon or the connection to it is at fault: lost \(faults.lost), doubled \(faults.doubled), out of order "
        + "\(faults.reordered), diverged \(faults.diverged), ended \(faults.goodbyes.values.reduce(0, +))."
    }
    if isLate {
      return
        "The harness was late with \(Self.percent(lateShare)) of its plan: the times are its own, not the daemon's."
    }
    let missed = verdicts.count { !$0.isMet }
    if missed > 0 {
      return
        "The objective is missed at \(Int(judgedPerSecond)) operations per second: \(missed) of \(verdicts.count) conditions."
    }
    let unsent = total.unsent > 0 ? " and \(total.unsent) could not be sent in time" : ""
    return
      "Nothing was lost, doubled, out of order or diverged at \(Int(judgedPerSecond)) operations per second\(unsent); 99 % of "
      + "them were answered within \(Self.short(response.percentile(0.99))), and were with the last peer within "
      + "\(Self.short(total.toLast.percentile(0.99)))"
      + (isHarnessLimited ? "; the harness' own core was the limit, not the daemon." : ".")
  }

  // MARK: Numbers

  package static func percentiles(_ histogram: Histogram) -> String {
    "p50 \(short(histogram.percentile(0.5)))  p99 \(short(histogram.percentile(0.99)))  "
      + "p99.9 \(short(histogram.percentile(0.999)))  max \(short(histogram.maximum))"
  }

  /// Returns nanoseconds in microseconds or milliseconds.
  package static func short(_ nanoseconds: UInt64) -> String {
    nanoseconds < 10_000_000 ? "\(nanoseconds / 1_000) µs" : "\(nanoseconds / 1_000_000) ms"
  }

  package static func short(_ number: Double) -> String {
    number == number.rounded() ? fixed(number, 0) : fixed(number, 1)
  }

  package static func percent(_ share: Double) -> String { fixed(share * 100, share < 0.1 ? 2 : 1) + " %" }

  package static func fixed(_ number: Double, _ digits: Int) -> String { format("%.\(digits)f", number) }

  /// - Parameter format: The format of one number, as `printf` takes it.
  static func format(_ format: String, _ number: Double) -> String { String(format: format, number) }
}
