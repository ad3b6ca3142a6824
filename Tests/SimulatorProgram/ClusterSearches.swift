import BaizeCommandLine
import ClusterModel

/// Searches the model of the cluster's protocol within larger bounds than the tests.
enum ClusterSearches {
  /// - Parameter isVerbose: Whether the steps to each violation are printed.
  static func run(isVerbose: Bool) -> ExitCode {
    var areAsExpected = true
    for run in ClusterRun.short + ClusterRun.long {
      let start = ContinuousClock.now
      let search = run.search()
      let milliseconds = Int((.now - start) / .milliseconds(1))
      Console.print(
        "\(run.isAsExpected(search) ? "ok      " : "failed  ")\(run): \(search.finding), \(search.stateCount) states, "
          + "\(search.depth) steps, \(milliseconds) ms")
      if isVerbose || !run.isAsExpected(search) { for step in search.trace { Console.print("        \(step)") } }
      areAsExpected = areAsExpected && run.isAsExpected(search)
    }
    return areAsExpected ? .success : .failure
  }
}
