import BaizeTransport

extension LoadResult {
  /// The version of ``json``. It is raised when a field changes its meaning or goes.
  package static let format = "baize-load 1"

  /// The result for programs. All times are nanoseconds. Rates and times are there only if the copies are right.
  ///
  /// - Parameter verdicts: Those of the objective, if there is one.
  package func json(_ verdicts: [Objective.Verdict] = []) -> [String: Any] {
    var json: [String: Any] = [
      "format": Self.format, "tables": options.tables, "players": options.players, "spectators": options.spectators,
      "type": options.tableType, "window": options.window, "seconds": seconds, "seed": options.seed,
      "isCorrect": faults.isNone, "lost": faults.lost, "doubled": faults.doubled, "reordered": faults.reordered,
      "diverged": faults.diverged, "ended": faults.goodbyes, "isLate": isLate, "isHarnessLimited": isHarnessLimited,
      "harnessLoad": harnessLoad, "conclusion": conclusion(verdicts), "refusedFor": total.reasons,
    ]
    json.merge(Self.counts(total)) { $1 }
    if let rate = options.rate { json["rate"] = rate }
    if let daemonLoad { json["daemonLoad"] = daemonLoad }
    if !verdicts.isEmpty {
      json["objective"] = verdicts.map { ["condition": $0.condition.description, "isMet": $0.isMet] as [String: Any] }
    }
    guard faults.isNone else { return json }
    json["judgedPerSecond"] = judgedPerSecond
    json["deliveriesPerSecond"] = deliveriesPerSecond
    json["correctedShare"] = correctedShare
    json["response"] = Self.times(response)
    json["service"] = Self.times(total.toOwn)
    json["seen"] = Self.times(total.toLast)
    json["join"] = Self.times(total.toJoin)
    json["kinds"] = Dictionary(
      uniqueKeysWithValues: zip(OperationKind.allCases, total.kinds).filter { $1.count > 0 }.map {
        ($0.name, Self.times($1))
      })
    if let nanoseconds = daemonNanosecondsPerDelivery { json["daemonNanosecondsPerDelivery"] = nanoseconds }
    json["intervals"] = intervals.map { interval in
      var part: [String: Any] = Self.counts(interval.counters)
      part["seconds"] = interval.seconds
      part["response"] = Self.buckets(interval.counters.answers(isPlanned: options.rate != nil))
      part["seen"] = Self.buckets(interval.counters.toLast)
      return part
    }
    return json
  }

  private static func counts(_ counters: LoadCounters) -> [String: UInt64] {
    [
      "planned": counters.planned, "sent": counters.sent, "unsent": counters.unsent, "late": counters.late,
      "passed": counters.passed, "accepted": counters.accepted, "refused": counters.refused,
      "unchanged": counters.unchanged, "retried": counters.retried, "rebased": counters.rebased,
      "redirected": counters.redirected, "deliveries": counters.deliveries, "bytes": counters.bytes,
    ]
  }

  private static func times(_ histogram: Histogram) -> [String: UInt64] {
    [
      "count": histogram.count, "p50": histogram.percentile(0.5), "p90": histogram.percentile(0.9),
      "p99": histogram.percentile(0.99), "p999": histogram.percentile(0.999), "max": histogram.maximum,
    ]
  }

  /// Returns the buckets of a histogram: the largest value of each, and the number of its values.
  private static func buckets(_ histogram: Histogram) -> [[UInt64]] {
    histogram.occupied.map { [$0.upperBound, $0.count] }
  }
}
