import BaizeTable
import BaizeTransport

extension LoadResult {
  /// The result as a page that needs nothing else: what was found, and charts of it.
  ///
  /// - Parameter verdicts: Those of the objective, if there is one.
  package func page(_ verdicts: [Objective.Verdict]) -> String {
    var parts = [
      "<!doctype html>",
      "<html lang=\"en\"><head><meta charset=\"utf-8\"><title>baize-load: \(options.tableType.escapedForHTML)</title>",
      "<meta name=\"viewport\" content=\"width=device-width\"><style>\(Self.style)</style></head><body>",
      "<h1>\(conclusion(verdicts).escapedForHTML)</h1>",
    ]
    if faults.isNone { parts += charts.map(\.svg) }
    let figures = text(verdicts).printable(keepsLineFeeds: true).escapedForHTML
    parts.append("<h2>Figures</h2><pre>\(figures)</pre></body></html>")
    return parts.joined(separator: "\n") + "\n"
  }

  // MARK: Charts

  private var charts: [LoadChart] { [spectrum, throughput, latency, corrections] }

  /// The names and histograms of the times that were measured.
  private var times: [(String, Histogram)] {
    let own: [(String, Histogram)] =
      options.rate == nil
      ? [("to own answer", total.toOwn)]
      : [
        ("to own answer, from the plan (response)", total.response),
        ("to own answer, from sending (service)", total.toOwn),
      ]
    return own + [("to last peer (seen)", total.toLast)]
  }

  private var spectrum: LoadChart {
    let lines = times.map { name, histogram in
      var seen: UInt64 = 0
      let points = histogram.occupied.map { bucket in
        // Each value stands at the share of those below it, so that the largest is not infinitely far away.
        defer { seen += bucket.count }
        return (x: 1 / (1 - Double(seen) / Double(histogram.count)), y: Double(bucket.upperBound))
      }
      return LoadChart.Line(name: name, points: points)
    }
    let most = lines.flatMap(\.points).map(\.x).max() ?? 1
    return LoadChart(
      title: "Times by percentile", x: .nines(upTo: 1 - 1 / most), y: timeAxis(lines), lines: lines)
  }

  private var throughput: LoadChart {
    var lines = [perSecond("judged") { $0.judged }]
    if options.rate != nil { lines.insert(perSecond("planned") { $0.planned }, at: 0) }
    let most = lines.flatMap(\.points).map(\.y).max() ?? 1
    let y = LoadChart.Axis.linear("", to: most) { Self.short($0) }
    return LoadChart(title: "Operations per second, beside the plan", x: timeline, y: y, lines: lines)
  }

  private var latency: LoadChart {
    // In an interval without an answer there is no time.
    func line(_ name: String, _ value: (LoadCounters) -> UInt64) -> LoadChart.Line {
      LoadChart.Line(
        name: name, points: along.map { ($0, $1.counters.toOwn.count == 0 ? .nan : Double(value($1.counters))) })
    }
    let own: (LoadCounters) -> Histogram = { [isPlanned = options.rate != nil] in $0.answers(isPlanned: isPlanned) }
    let lines = [
      line("own answer, p50") { own($0).percentile(0.5) }, line("own answer, p99") { own($0).percentile(0.99) },
      line("own answer, max") { own($0).maximum }, line("last peer, p99") { $0.toLast.percentile(0.99) },
    ]
    return LoadChart(title: "Times over the run", x: timeline, y: timeAxis(lines), lines: lines)
  }

  private var corrections: LoadChart {
    func share(_ name: String, _ value: @escaping (LoadCounters) -> UInt64) -> LoadChart.Line {
      let points = along.map { (x: $0, y: Double(value($1.counters)) / Double($1.counters.judged)) }
      return LoadChart.Line(name: name, points: points)
    }
    let lines = [
      share("taken back") { $0.refused }, share("changed") { $0.redirected }, share("rebased") { $0.rebased },
    ]
    let most = lines.flatMap(\.points).map(\.y).filter(\.isFinite).max() ?? 0
    let y = LoadChart.Axis.linear("", to: max(0.01, most)) { Self.fixed($0 * 100, $0 < 0.1 ? 1 : 0) + " %" }
    return LoadChart(title: "Corrections, as a share of the judged operations", x: timeline, y: y, lines: lines)
  }

  private func perSecond(_ name: String, _ value: (LoadCounters) -> UInt64) -> LoadChart.Line {
    LoadChart.Line(name: name, points: along.map { ($0, Double(value($1.counters)) / $1.seconds) })
  }

  /// The intervals with the times of their ends, in seconds.
  private var along: [(Double, Interval)] {
    var time = 0.0
    return intervals.map { interval in
      time += interval.seconds
      return (time, interval)
    }
  }

  private var timeline: LoadChart.Axis { .linear("seconds", to: seconds) { Self.short($0) } }

  private func timeAxis(_ lines: [LoadChart.Line]) -> LoadChart.Axis {
    let values = lines.flatMap(\.points).map(\.y).filter { $0 > 0 }
    return .times("", from: values.min() ?? 1, to: values.max() ?? 1)
  }

  private static let style = """
    :root { color-scheme: light dark; --ink: #1d2420; --ground: #fbfaf6; --grid: #d9d8d0; --faint: #5b645e;
      --s0: #1f6f4a; --s1: #b3541e; --s2: #2a5fb0; --s3: #8a2f7c; }
    @media (prefers-color-scheme: dark) { :root { --ink: #e8ebe6; --ground: #151a17; --grid: #39413c; --faint: #a3aea7;
      --s0: #6fcf9b; --s1: #f0a26b; --s2: #8fb8ff; --s3: #e39ad6; } }
    @media print { :root { color-scheme: light; --ink: #000; --ground: #fff; --grid: #ccc; --faint: #333;
      --s0: #1f6f4a; --s1: #b3541e; --s2: #2a5fb0; --s3: #8a2f7c; } figure { break-inside: avoid; } }
    body { font: 16px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--ground); max-width: 52rem;
      margin: 2rem auto; padding: 0 1rem; }
    h1 { font-size: 1.25rem; } h2 { font-size: 1rem; margin-top: 2rem; }
    figure { margin: 1.5rem 0; } figcaption { font-weight: 600; margin-bottom: .25rem; }
    figure > svg { width: 100%; height: auto; display: block; }
    text { font: 12px system-ui, sans-serif; fill: var(--faint); } .end { text-anchor: end; } .middle { text-anchor: middle; }
    .grid { stroke: var(--grid); stroke-width: 1; } .line { fill: none; stroke-width: 2; stroke-linecap: round; }
    .s0 { stroke: var(--s0); } .s1 { stroke: var(--s1); stroke-dasharray: 7 3; }
    .s2 { stroke: var(--s2); stroke-dasharray: 2 3; } .s3 { stroke: var(--s3); stroke-dasharray: 9 3 2 3; }
    .key { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: .25rem 0 0; font-size: .875rem; }
    pre { font-size: .8125rem; overflow-x: auto; white-space: pre-wrap; }
    """
}
