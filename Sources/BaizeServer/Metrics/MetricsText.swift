/// Writes metrics in Prometheus' text format, version 0.0.4.
///
/// Every name and every label value comes from this program. None is a text that a client chose: such a label would let
/// clients create time series without limit.
struct MetricsText {
  private(set) var text = ""

  /// The media type of ``text``.
  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  enum Kind: String {
    case counter
    case gauge
    case histogram
  }

  /// A value, with a label if the metric has several.
  struct Sample {
    let label: (name: String, value: String)?
    let value: Double

    init(_ value: Double) { (label, self.value) = (nil, value) }
    init(_ value: Int) { self.init(Double(value)) }
    init(_ name: String, _ label: String, _ value: Int) { (self.label, self.value) = ((name, label), Double(value)) }
  }

  mutating func add(_ kind: Kind, _ name: String, _ help: String, _ samples: Sample...) {
    add(kind, name, help, samples)
  }

  mutating func add(_ kind: Kind, _ name: String, _ help: String, _ samples: [Sample]) {
    begin(kind, name, help)
    for sample in samples {
      let label = sample.label.map { "{\($0.name)=\"\($0.value)\"}" } ?? ""
      text += "\(name)\(label) \(Self.number(sample.value))\n"
    }
  }

  /// Adds a histogram of durations, in seconds.
  mutating func add(_ name: String, _ help: String, _ durations: DurationCounts) {
    begin(.histogram, name, help)
    var sum: UInt64 = 0
    for index in 0..<DurationCounts.bucketCount {
      sum += durations.buckets[index]
      let limit = Self.seconds(DurationCounts.limit(ofBucket: index))
      text += "\(name)_bucket{le=\"\(limit)\"} \(sum)\n"
    }
    text += "\(name)_bucket{le=\"+Inf\"} \(durations.count)\n"
    text += "\(name)_sum \(Self.seconds(durations.sumNanoseconds))\n\(name)_count \(durations.count)\n"
  }

  private mutating func begin(_ kind: Kind, _ name: String, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  /// Returns a whole number without a fraction.
  private static func number(_ value: Double) -> String { Int64(exactly: value).map(String.init) ?? "\(value)" }

  /// Returns nanoseconds as seconds, exactly.
  private static func seconds(_ nanoseconds: UInt64) -> String {
    let fraction = String(nanoseconds % 1_000_000_000)
    let digits = String(repeating: "0", count: 9 - fraction.count) + fraction
    let end = digits.lastIndex { $0 != "0" }
    return "\(nanoseconds / 1_000_000_000)" + (end.map { "." + digits[...$0] } ?? "")
  }
}
