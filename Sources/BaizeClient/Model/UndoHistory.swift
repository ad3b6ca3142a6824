import BaizeTable

/// The operations that a model can undo and redo, last first.
///
/// ```
/// performed ──▶ [ steps ] ── undo ──▶ [ undone ] ── redo ──▶ [ steps ]
///                   └──── refused or without effect: dropped ────┘
/// ```
struct UndoHistory {
  /// The operations that took effect, oldest first.
  private(set) var steps: [Submission] = []
  /// The undos that can be undone in turn, oldest first.
  private(set) var undone: [Submission] = []
  /// Sequence numbers belong to a session and an epoch.
  private(set) var scope: Scope?

  struct Scope: Equatable {
    let session: SessionID?
    let epoch: Epoch?
  }

  /// Records an operation of the user. Operations undone before can no longer be redone.
  mutating func performed(_ submission: Submission) {
    Self.append(submission, to: &steps)
    undone.removeAll()
  }

  mutating func takeStep() -> Submission? { steps.popLast() }

  /// Records the undo of a step.
  mutating func undid(_ undo: Submission) { Self.append(undo, to: &undone) }

  mutating func takeUndone() -> Submission? { undone.popLast() }

  /// Records the undo of an undo, which is a step again.
  mutating func redid(_ redo: Submission) { Self.append(redo, to: &steps) }

  /// Drops operations that had no effect.
  mutating func drop(_ sequences: Set<SequenceNumber>) {
    let isDropped: (Submission) -> Bool = { $0.operation.map { sequences.contains($0.sequence) } ?? true }
    steps.removeAll(where: isDropped)
    undone.removeAll(where: isDropped)
  }

  /// Drops everything when the session or the epoch has changed: the daemon no longer knows the operations.
  mutating func enter(_ scope: Scope) {
    if let last = self.scope, last != scope {
      steps.removeAll()
      undone.removeAll()
    }
    self.scope = scope
  }

  private static func append(_ submission: Submission, to list: inout [Submission]) {
    guard submission.operation != nil else { return }
    if list.count >= ClientLimits.undoStepsMax { list.removeFirst() }
    list.append(submission)
  }
}
