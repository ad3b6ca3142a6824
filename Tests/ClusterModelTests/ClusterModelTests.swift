import ClusterModel
import Testing

/// The protocol by which several daemons share one journal, in every state that the bounds of a run allow.
@Suite struct ClusterModelTests {
  @Test(arguments: ClusterRun.short)
  func `with its rules the protocol holds, and without one it does not`(_ run: ClusterRun) {
    let search = run.search()
    #expect(run.isAsExpected(search), "\(search.finding) after \(search.trace)")
    if case .violation = search.finding { #expect(search.trace.count == search.depth + 1, "the shortest way to it") }
  }
}
