import Foundation

extension LoadChart {
  static func log(_ number: Double) -> Double { Foundation.log10(number) }
}

extension LoadChart.Axis {
  /// An axis from 0 to at least `most`, with some five marks at round numbers.
  static func linear(_ title: String, to most: Double, _ text: (Double) -> String) -> Self {
    let rough = max(most, 1e-9) / 5
    let power = pow(10, floor(log10(rough)))
    let step = [1, 2, 5, 10].map { $0 * power }.first { $0 >= rough } ?? rough
    let marks = (0...Int((max(most, 1e-9) / step).rounded(.up))).map { Double($0) * step }
    return Self(title: title, isLogarithmic: false, marks: marks.map { ($0, text($0)) })
  }

  /// A logarithmic axis of nanoseconds, from a power of ten to a power of ten.
  static func times(_ title: String, from least: Double, to most: Double) -> Self {
    let low = floor(log10(max(1_000, least)))
    let high = max(low + 1, ceil(log10(max(1_000, most))))
    let marks = stride(from: low, through: high, by: 1).map { pow(10, $0) }
    return Self(title: title, isLogarithmic: true, marks: marks.map { ($0, Self.time($0)) })
  }

  /// The axis of 1 / (1 − p), on which each nine of a percentile takes as much room.
  static func nines(upTo share: Double) -> Self {
    let all = [
      (0, "0 %"), (0.9, "90 %"), (0.99, "99 %"), (0.999, "99.9 %"), (0.9999, "99.99 %"), (0.99999, "99.999 %"),
    ]
    let last = all.firstIndex { $0.0 >= share } ?? all.count - 1
    let marks = all[...max(1, last)].map { (1 / (1 - $0.0), $0.1) }
    return Self(title: "percentile", isLogarithmic: true, marks: marks)
  }

  private static func time(_ nanoseconds: Double) -> String {
    nanoseconds < 1e6
      ? "\(Int(nanoseconds / 1e3)) µs"
      : nanoseconds < 1e9 ? "\(Int(nanoseconds / 1e6)) ms" : "\(Int(nanoseconds / 1e9)) s"
  }
}
