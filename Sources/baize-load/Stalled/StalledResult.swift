import BaizeSync
import BaizeTable

/// The result of all rounds of `baize-load stalled`.
struct StalledResult {
  typealias Condition = StalledMeasure.Condition

  let runs: [Condition: [StalledMeasure.Run]]
  /// The number of connections that read nothing under `stalled`.
  let readers: Int
  let rounds: Int

  // MARK: Time

  /// The ratio of a condition's p99 to another's in the same round, by round.
  private func ratios(_ condition: Condition, to reference: Condition) -> Spread {
    Spread(values: zip(runs[condition] ?? [], runs[reference] ?? []).map { $0.p99 / max(1, $1.p99) })
  }

  var isFastEnough: Bool {
    Condition.allCases.allSatisfy { condition in
      condition.reference.map { ratios(condition, to: $0).median <= StalledMeasure.ratioMax } ?? true
    }
  }

  // MARK: Memory

  /// The maximum queue for a client that does not read: the outbox's hard limit, one turn's frames (a long text),
  /// and as much again, since a growing queue doubles its capacity.
  private static let boundBytes = 2 * (SyncLimits().connections.outboxHardBytes + LoadState.fillTextBytes)

  /// The maximum excess of a round's peak over that of its normal run: memory that an allocator keeps.
  private static let slackBytes = 8 << 20

  /// The memory of the clients that do not read, at the peak of the worst round.
  private func extraBytes(_ condition: Condition) -> Int {
    zip(runs[condition] ?? [], runs[.normal] ?? []).map { $0.peakBytes - $1.peakBytes }.max() ?? 0
  }

  private func boundBytes(_ condition: Condition) -> Int {
    condition.readers(of: readers) * Self.boundBytes + Self.slackBytes
  }

  private static let starved: [Condition] = [.stalled, .trickle]

  var isSound: Bool {
    runs.values.allSatisfy { $0.allSatisfy(\.isSound) }
      && Self.starved.allSatisfy { extraBytes($0) <= boundBytes($0) }
  }

  // MARK: Presentation

  var text: String {
    var lines = ["medians (least … most), from submit to the last of the others, in µs"]
    for condition in Condition.allCases {
      let name = condition.rawValue.padding(20)
      var line = "  \(name)  p50 \(spread(condition, \.median).text())  p99 \(spread(condition, \.p99).text())"
      if let reference = condition.reference {
        line += "  \(ratios(condition, to: reference).text(2)) times \(reference.rawValue)"
        if reference != .normal { line += ", \(ratios(condition, to: .normal).text(2)) times normal" }
      }
      lines.append(line)
    }
    for condition in Self.starved {
      lines.append(
        "  memory, \(condition.rawValue): \(extraBytes(condition) >> 10) KiB more than normal at the peak of the worst round; "
          + "bound \(condition.readers(of: readers)) × \(Self.boundBytes >> 10) KiB + \(Self.slackBytes >> 10) KiB = "
          + "\(boundBytes(condition) >> 10) KiB")
    }
    let crowds = (runs[.storm] ?? []).compactMap { $0.crowd?.milliseconds }
    lines.append("  a storm was admitted after \(Spread(values: crowds).text()) ms")
    return lines.joined(separator: "\n")
  }

  private func spread(_ condition: Condition, _ value: (StalledMeasure.Run) -> Double) -> Spread {
    Spread(values: (runs[condition] ?? []).map(value))
  }

  var json: [String: Any] {
    var json: [String: Any] = ["rounds": rounds, "stalled": readers]
    for condition in Condition.allCases {
      var entry: [String: Any] = [
        "p50Microseconds": spread(condition, \.median).json, "p99Microseconds": spread(condition, \.p99).json,
        "peakBytes": spread(condition, { Double($0.peakBytes) }).json,
      ]
      if let reference = condition.reference { entry["ratio"] = ratios(condition, to: reference).json }
      json[condition.rawValue] = entry
    }
    return json
  }
}

extension String {
  fileprivate func padding(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
