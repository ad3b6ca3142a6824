import BaizeTransport
import Foundation

/// The measurements of several runs: by name, in the order in which the names came, a value for each run.
struct Figures {
  private var rows: [Row] = []

  private struct Row {
    let name: String
    let unit: String
    let digits: Int
    var spread: Spread
  }

  mutating func add(_ name: String, _ value: Double, _ unit: String, digits: Int = 0) {
    if let index = rows.firstIndex(where: { $0.name == name }) {
      rows[index].spread.values.append(value)
    } else {
      rows.append(Row(name: name, unit: unit, digits: digits, spread: Spread(values: [value])))
    }
  }

  /// The values of all runs; empty for an unknown name.
  subscript(name: String) -> Spread { rows.first { $0.name == name }?.spread ?? Spread(values: []) }

  /// The last run, in one line.
  var last: String {
    rows.map { "\($0.name) \(LoadResult.fixed($0.spread.values.last ?? 0, $0.digits)) \($0.unit)" }.joined(
      separator: ", ")
  }

  /// All runs, a line for each name.
  var text: String {
    let width = rows.map(\.name.count).max() ?? 0
    return rows.map { row in
      "  " + row.name.padding(toLength: width + 2, withPad: " ", startingAt: 0)
        + "\(row.spread.text(row.digits)) \(row.unit)"
    }.joined(separator: "\n")
  }

  var json: [String: Any] { Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0.spread.json) }) }
}

/// The median and the spread of several runs.
struct Spread {
  var values: [Double]

  var median: Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  /// `median (least … most)`.
  func text(_ digits: Int = 0) -> String {
    let least = LoadResult.fixed(values.min() ?? 0, digits)
    let most = LoadResult.fixed(values.max() ?? 0, digits)
    return "\(LoadResult.fixed(median, digits)) (\(least) … \(most))"
  }

  var json: [String: Any] { ["median": median, "values": values] }
}

extension Histogram {
  /// Returns a percentile of nanoseconds, in microseconds.
  func microseconds(_ share: Double) -> Double { Double(percentile(share)) / 1e3 }
}
