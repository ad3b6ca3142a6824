import BaizeTable
package import BaizeTransport

/// Counts over a period.
package struct LoadCounters: Sendable {
  package var deliveries: UInt64 = 0
  package var accepted: UInt64 = 0
  /// Accepted operations whose destination was carried forward over diffs that the author had not seen.
  package var rebased: UInt64 = 0
  /// Accepted operations for which the rules chose another destination than the requested one.
  package var redirected: UInt64 = 0
  package var refused: UInt64 = 0
  package var unchanged: UInt64 = 0
  package var retried: UInt64 = 0
  package var bytes: UInt64 = 0
  package var welcomes: UInt64 = 0
  package var snapshots: UInt64 = 0
  /// The operations of the plan, and those among them for which the player had nothing to submit.
  package var planned: UInt64 = 0
  package var passed: UInt64 = 0
  package var sent: UInt64 = 0
  /// The operations of the plan that the harness itself came to too late (``LoadOptions/lateNanoseconds``).
  package var late: UInt64 = 0
  /// The operations of the plan that were never sent, because earlier ones of the player had no answer.
  package var unsent: UInt64 = 0
  /// The time from sending to the author's answer: the service time.
  package var toOwn = Histogram()
  /// The time from the plan to the author's answer: the response time. Empty without a plan.
  package var response = Histogram()
  /// The time from the plan, or without one from sending, to the last connection of the table that receives the diff.
  package var toLast = Histogram()
  /// The time from connecting to having the table.
  package var toJoin = Histogram()
  /// The time from the plan, or without one from sending, to the author's answer, by ``OperationKind``.
  package private(set) var kinds: [Histogram] = []
  /// The number of refusals by reason.
  package private(set) var reasons: [String: UInt64] = [:]

  /// The maximum number of reasons that are told apart.
  private static let reasonsMax = 64
  /// What stands for all others.
  private static let others = "others"
  private static let reasonBytesMax = 100

  package init() {}

  /// The number of operations that were judged.
  package var judged: UInt64 { accepted + refused + unchanged }

  /// The number of operations that their author was shown, and that were then changed or taken back.
  package var corrected: UInt64 { redirected + refused }

  /// The time to the author's answer: from the plan, if there is one, else from sending.
  func answers(isPlanned: Bool) -> Histogram { isPlanned ? response : toOwn }

  mutating func note(_ nanoseconds: UInt64, of kind: OperationKind) {
    if kinds.isEmpty { kinds = Array(repeating: Histogram(), count: OperationKind.allCases.count) }
    kinds[Int(kind.rawValue)].record(nanoseconds)
  }

  mutating func noteRefusal(_ reason: String) {
    refused += 1
    count(reason.printable(), 1)
  }

  /// Counts a reason, which a daemon can choose as it likes.
  private mutating func count(_ reason: String, _ times: UInt64) {
    let toldCount = reasons.count - (reasons[Self.others] == nil ? 0 : 1)
    let isTold = toldCount < Self.reasonsMax && reason.utf8.count <= Self.reasonBytesMax
    reasons[reasons[reason] != nil || isTold ? reason : Self.others, default: 0] += times
  }

  /// Adds the counts of another period.
  package mutating func add(_ other: LoadCounters) {
    for path in Self.sums { self[keyPath: path] += other[keyPath: path] }
    addTimes(other)
    // Sorted, so that which reasons are listed does not depend on the order of a dictionary.
    for (reason, times) in other.reasons.sorted(by: { $0.key < $1.key }) { count(reason, times) }
  }

  /// Adds the times alone.
  mutating func addTimes(_ other: LoadCounters) {
    for path in Self.histograms { self[keyPath: path].merge(other[keyPath: path]) }
    if kinds.isEmpty {
      kinds = other.kinds
    } else {
      for (kind, histogram) in other.kinds.enumerated() { kinds[kind].merge(histogram) }
    }
  }

  private static var sums: [WritableKeyPath<Self, UInt64>] {
    [
      \.deliveries, \.accepted, \.rebased, \.redirected, \.refused, \.unchanged, \.retried, \.bytes, \.welcomes,
      \.snapshots, \.planned, \.passed, \.sent, \.late, \.unsent,
    ]
  }

  private static var histograms: [WritableKeyPath<Self, Histogram>] { [\.toOwn, \.response, \.toLast, \.toJoin] }
}

/// Faults that must never occur.
package struct LoadFaults: Sendable {
  /// Operations without an answer, and diffs that did not arrive.
  package var lost: UInt64 = 0
  /// Revisions that came twice, and operations that were answered twice.
  package var doubled: UInt64 = 0
  /// Revisions that came behind later ones.
  package var reordered: UInt64 = 0
  /// Copies that differ from the daemon's.
  package var diverged: UInt64 = 0
  /// Why connections ended, and how often.
  package private(set) var goodbyes: [String: Int] = [:]
  /// The maximum number of reasons that are told apart: a daemon can choose them as it likes.
  private static let reasonsMax = 64

  package var isNone: Bool { lost == 0 && doubled == 0 && reordered == 0 && diverged == 0 && goodbyes.isEmpty }

  /// One of the reasons why members cannot go on; `nil` if they can.
  package var failure: String? {
    goodbyes.keys.min()
      ?? (lost > 0 || doubled > 0 || reordered > 0 ? "revisions were missing, came twice or were out of order" : nil)
  }

  mutating func noteEnd(_ reason: String) {
    let isTold = goodbyes[reason] != nil || goodbyes.count < Self.reasonsMax
    goodbyes[isTold ? reason : "others", default: 0] += 1
  }
}
