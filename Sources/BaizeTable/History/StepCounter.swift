import Synchronization

/// Counts the steps of searches in what a table remembers: a search depends on what others did since an operation's base, so that
/// only afterwards is known what it cost.
///
/// Searching changes nothing else. Copies of a table count together; where threads use copies at once, some steps are not counted.
final class StepCounter: Sendable {
  private let steps = Atomic(0)

  @inline(__always) func add(_ count: Int) {
    steps.store(steps.load(ordering: .relaxed) &+ count, ordering: .relaxed)
  }

  /// Returns the steps since the last call.
  @inline(__always) func take() -> Int {
    let count = steps.load(ordering: .relaxed)
    steps.store(0, ordering: .relaxed)
    return count
  }
}
