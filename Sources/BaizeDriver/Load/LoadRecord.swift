package import BaizeTransport
package import Foundation

/// What a comparison needs of a run: read from its JSON.
package struct LoadRecord: Sendable {
  package let isCorrect: Bool
  /// The load in words: runs with different ones are not comparable.
  package let load: String
  package let intervals: [Interval]

  package struct Interval: Sendable {
    package var seconds: Double
    package var judged: UInt64
    package var corrected: UInt64
    package var response: Histogram
    package var seen: Histogram
  }

  /// The smallest number of intervals that can be compared.
  package static let intervalsMin = 5

  package init(isCorrect: Bool = true, load: String = "", intervals: [Interval]) {
    (self.isCorrect, self.load, self.intervals) = (isCorrect, load, intervals)
  }

  /// Reads the JSON of a run.
  ///
  /// - Throws: ``RunFailure`` if it is none, or if it is too short to be compared.
  package init(_ data: Data) throws {
    let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
    guard let object, object["format"] as? String == LoadResult.format else {
      throw RunFailure("this is not the JSON of a run (format '\(LoadResult.format)')")
    }
    isCorrect = object["isCorrect"] as? Bool ?? false
    guard object["isLate"] as? Bool != true, object["isHarnessLimited"] as? Bool != true else {
      throw RunFailure("the generator was the limit in this run: it says nothing of the daemon")
    }
    load = ["tables", "players", "spectators", "type", "window", "rate"].map {
      "\($0) \(object[$0].map { "\($0)" } ?? "none")"
    }
    .joined(separator: ", ")
    guard isCorrect else {
      intervals = []
      return
    }
    intervals = try (object["intervals"] as? [[String: Any]] ?? []).map(Self.interval)
    guard intervals.count >= Self.intervalsMin else {
      throw RunFailure(
        "the run has \(intervals.count) intervals; a comparison needs \(Self.intervalsMin): run for longer")
    }
  }

  private static func interval(_ object: [String: Any]) throws -> Interval {
    func count(_ name: String) throws -> UInt64 {
      guard let number = object[name] as? UInt64 else { throw RunFailure("an interval has no '\(name)'") }
      return number
    }
    func histogram(_ name: String) throws -> Histogram {
      guard let buckets = object[name] as? [[UInt64]], buckets.allSatisfy({ $0.count == 2 && $0[0] <= Int64.max })
      else {
        throw RunFailure("an interval has no '\(name)'")
      }
      return buckets.reduce(into: Histogram()) { $0.record($1[0], times: UInt32(clamping: $1[1])) }
    }
    guard let seconds = object["seconds"] as? Double, seconds > 0 else { throw RunFailure("an interval has no length") }
    let judged = try [count("accepted"), count("refused"), count("unchanged")]
    let corrected = try [count("refused"), count("redirected")]
    return try Interval(
      seconds: seconds, judged: judged.reduce(0) { $0 &+ $1 }, corrected: corrected.reduce(0) { $0 &+ $1 },
      response: histogram("response"), seen: histogram("seen"))
  }
}
