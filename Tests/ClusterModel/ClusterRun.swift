/// Bounds within which the model is searched, and what is to be found there.
package struct ClusterRun: Sendable, CustomStringConvertible {
  package enum Expectation: Sendable {
    case holds
    case violation
    case stuck
  }

  package let description: String
  private let bounds: ClusterBounds
  private let faults: ClusterFaults
  private let expectation: Expectation

  /// More states than the largest run has.
  private static let statesMax = 6_000_000

  private init(
    _ description: String, without faults: ClusterFaults = [], _ expectation: Expectation = .holds,
    _ set: (inout ClusterBounds) -> Void = { _ in }
  ) {
    var bounds = ClusterBounds()
    set(&bounds)
    (self.description, self.bounds, self.faults, self.expectation) = (description, bounds, faults, expectation)
  }

  package func search() -> ClusterSearch { ClusterSearch(bounds, without: faults, statesMax: Self.statesMax) }

  package func isAsExpected(_ search: ClusterSearch) -> Bool {
    switch (expectation, search.finding) {
    case (.holds, .holds), (.violation, .violation), (.stuck, .stuck): true
    default: false
    }
  }

  /// Runs of at most some thousand states.
  package static let short = [
    ClusterRun("a cut, a suspicion, one operation") { $0.operations = 1 },
    ClusterRun("a cut, a drain, one operation") { ($0.operations, $0.drains, $0.suspicions) = (1, 1, 0) },
    ClusterRun("a new table, a suspicion, one operation") { ($0.operations, $0.isNew, $0.cuts) = (1, true, 0) },
    ClusterRun("a standby, a cancel, a failover, a crash, one operation") {
      withStandby(&$0)
      ($0.operations, $0.crashes, $0.cuts, $0.suspicions) = (1, 1, 0, 0)
    },
    ClusterRun("two turns at once, a refusal, a cut") { ($0.depth, $0.refusals, $0.suspicions) = (2, 1, 0) },
    ClusterRun("without a fence", without: .noFence, .violation),
    ClusterRun(
      "without a holder, and a raise that is read back is used", without: [.noHolder, .raiseReadBack], .violation
    ) {
      ($0.cuts, $0.operations) = (2, 1)
    },
    ClusterRun("published before the commit", without: .publishedWhenJudged, .violation),
    ClusterRun("a warning is an answer", without: .warningIsAnswer, .violation) {
      withStandby(&$0)
      ($0.operations, $0.crashes, $0.cuts, $0.suspicions) = (1, 1, 0, 0)
    },
    ClusterRun("shown before its turn is acknowledged", without: .shownWhenLoaded, .violation) {
      ($0.operations, $0.drains) = (1, 1)
    },
    ClusterRun("read before the raise", without: .readBeforeRaise, .violation),
    ClusterRun(
      "taken under one lease, and the table's epoch is not looked at", without: [.takeUnderOneLease, .noTableEpoch],
      .violation
    ) { $0.suspicions = 2 },
    ClusterRun("an answer that was lost is waited for", without: .waitsForLostAnswer, .stuck) {
      ($0.operations, $0.isNew, $0.suspicions) = (1, true, 0)
    },
  ]

  /// Runs of up to some million states.
  package static let long = [
    ClusterRun("a cut, a refusal, a suspicion") { $0.refusals = 1 },
    ClusterRun("two turns at once, two cuts, a refusal") {
      ($0.depth, $0.cuts, $0.refusals, $0.suspicions) = (2, 2, 1, 0)
    },
    ClusterRun("two turns at once, a cut, a refusal, a suspicion") { ($0.depth, $0.refusals) = (2, 1) },
    ClusterRun("two suspicions, a cut, a drain") { ($0.suspicions, $0.drains) = (2, 1) },
    ClusterRun("a crash, a cut, a suspicion, a drain") { ($0.crashes, $0.drains, $0.operations) = (1, 1, 1) },
    ClusterRun("a new table, a cut, a crash, a suspicion") { ($0.isNew, $0.crashes, $0.operations) = (true, 1, 1) },
    ClusterRun("two nodes of one name, two cuts") {
      ($0.haveOneName, $0.suspicions, $0.cuts, $0.operations) = (true, 0, 2, 1)
    },
    ClusterRun("a standby, a cancel, a failover, a cut, a drain, a suspicion") {
      withStandby(&$0)
      ($0.drains, $0.operations) = (1, 1)
    },
    ClusterRun("a standby, a cancel, a failover, a crash, a new table") {
      withStandby(&$0)
      ($0.isNew, $0.crashes, $0.cuts, $0.operations) = (true, 1, 0, 1)
    },
    ClusterRun("rows of turns deleted, two cuts, two drains") {
      ($0.purges, $0.cuts, $0.drains, $0.suspicions) = (1, 2, 2, 0)
    },
    ClusterRun("taken under one lease", without: .takeUnderOneLease, .violation) { $0.suspicions = 2 },
    ClusterRun("given up without a raise, two turns at once", without: .voidWithoutRaise, .violation) {
      ($0.depth, $0.refusals) = (2, 1)
    },
  ]

  private static func withStandby(_ bounds: inout ClusterBounds) {
    (bounds.hasStandby, bounds.cancels, bounds.failovers) = (true, 1, 1)
  }
}
