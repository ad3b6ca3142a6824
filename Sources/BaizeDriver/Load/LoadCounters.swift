package import BaizeTransport

/// Counts over a period.
package struct LoadCounters: Sendable {
  package var deliveries: UInt64 = 0
  package var accepted: UInt64 = 0
  package var rebased: UInt64 = 0
  package var refused: UInt64 = 0
  package var unchanged: UInt64 = 0
  package var retried: UInt64 = 0
  package var bytes: UInt64 = 0
  package var welcomes: UInt64 = 0
  package var snapshots: UInt64 = 0
  /// The time from submit to the author's answer, and to the last connection of the table that receives the diff.
  package var toOwn = Histogram()
  package var toLast = Histogram()
}

/// Faults that must never occur.
package struct LoadFaults: Sendable {
  /// Revisions that were missing or came twice.
  package var gaps: UInt64 = 0
  /// Operations that were not answered, and diffs that did not arrive.
  package var lost: UInt64 = 0
  package var diverged: UInt64 = 0
  package var goodbyes: [String: Int] = [:]

  package var isNone: Bool { gaps == 0 && lost == 0 && diverged == 0 && goodbyes.isEmpty }

  /// One of the reasons why members cannot go on; `nil` if they can.
  package var failure: String? {
    goodbyes.keys.min() ?? (gaps > 0 ? "\(gaps) revisions were missing or came twice" : nil)
  }
}
