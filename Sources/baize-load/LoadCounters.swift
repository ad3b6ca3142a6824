import BaizeTransport

/// Counts over a period.
struct LoadCounters: Sendable {
  var deliveries: UInt64 = 0
  var accepted: UInt64 = 0
  var rebased: UInt64 = 0
  var refused: UInt64 = 0
  var unchanged: UInt64 = 0
  var retried: UInt64 = 0
  var bytes: UInt64 = 0
  /// The time from submit to the author's answer, and to the last connection of the table that receives the diff.
  var toOwn = Histogram()
  var toLast = Histogram()
}

/// Faults that must never occur.
struct LoadFaults: Sendable {
  var gaps: UInt64 = 0
  var lost: UInt64 = 0
  var diverged: UInt64 = 0
  var goodbyes: [String: Int] = [:]

  var isNone: Bool { gaps == 0 && lost == 0 && diverged == 0 && goodbyes.isEmpty }
}
