import BaizeTable

/// A measured part of the core, and its parameters.
struct CoreCase {
  let step: Step
  /// The number of items in the list.
  var items: Int
  /// The number of others' diffs between an operation's base and the state that it is judged on.
  var unseen = 0

  enum Step: String, CaseIterable, Sendable {
    /// An authority judges and applies a move.
    case judge
    /// A replica without pending operations applies a diff.
    case apply
    /// A shard receives a frame, judges it, and sends its diff to four members.
    case shard
    /// A client's operation is decoded.
    case decode
    /// A diff is encoded for one viewer.
    case encode
    /// A replica with four pending operations submits another, receives another's diff, and then its first answer.
    case replay

    /// Whether the cost can depend on the number of items.
    var dependsOnItems: Bool { self != .decode && self != .encode }
  }

  /// Prepares the work of `operations` operations.
  func makeTask(operations: Int) throws -> any CoreTask {
    switch step {
    case .judge: try JudgeTask(self, operations: operations)
    case .apply: try ApplyTask(self, operations: operations)
    case .shard: ShardTask(self, operations: operations)
    case .decode: try DecodeTask(self, operations: operations)
    case .encode: try EncodeTask(self, operations: operations)
    case .replay: try ReplayTask(self, operations: operations)
    }
  }

  /// The name of the case, by which its figures are kept.
  var name: String {
    (step == .judge ? "judge, \(unseen) unseen" : step.rawValue) + (step.dependsOnItems ? ", \(items) items" : "")
  }
}

/// Prepared work that is done in ranges, in order, each once.
protocol CoreTask {
  mutating func perform(_ range: Range<Int>) throws
}
