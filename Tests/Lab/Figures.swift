import BaizeDriver
import BaizeTransport
import Foundation

/// The measurements of several runs: by name, in the order in which the names came, a value for each run.
struct Figures {
  private var rows: [Row] = []
  /// The values before the present run.
  private var linesFrom: [String: Int] = [:]

  private struct Row {
    let name: String
    let unit: String
    let digits: Int
    var spread: Spread
  }

  /// Begins a run, whose figures are in ``line``.
  mutating func beginRun() {
    linesFrom = Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0.spread.values.count) })
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

  /// The figures that the present run has added, in one line.
  var line: String {
    rows.filter { $0.spread.values.count > linesFrom[$0.name, default: 0] }.map {
      "\($0.name) \(Self.fixed($0.spread.values.last ?? 0, $0.digits)) \($0.unit)"
    }.joined(separator: ", ")
  }

  /// All runs, a line for each name.
  var text: String {
    let width = rows.map(\.name.count).max() ?? 0
    return rows.map { "  \($0.name.padded(to: width + 2))\($0.spread.text($0.digits)) \($0.unit)" }
      .joined(separator: "\n")
  }

  static func fixed(_ number: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", number) }

  /// A number with some three digits.
  static func short(_ number: Double) -> String {
    fixed(number, abs(number) >= 100 || number == number.rounded() ? 0 : abs(number) >= 10 ? 1 : 2)
  }
}

/// The median and the spread of several runs.
struct Spread {
  var values: [Double]

  /// The median; not a number without values, so that no limit holds for what was not measured.
  var median: Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? .nan : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  var least: Double { values.min() ?? .nan }
  var most: Double { values.max() ?? .nan }

  /// `median (least … most)`, or the median alone of a single run.
  func text(_ digits: Int = 0) -> String {
    let (median, least, most) = (
      Figures.fixed(median, digits), Figures.fixed(least, digits), Figures.fixed(most, digits)
    )
    return values.count > 1 ? "\(median) (\(least) … \(most))" : median
  }
}

extension Histogram {
  /// Returns a percentile of nanoseconds, in microseconds.
  func microseconds(_ share: Double) -> Double { Double(percentile(share)) / 1e3 }
}

extension String {
  /// A command line in words.
  var words: [String] { split(separator: " ").map(String.init) }

  func padded(to length: Int) -> String { padding(toLength: max(length, count), withPad: " ", startingAt: 0) }
}
