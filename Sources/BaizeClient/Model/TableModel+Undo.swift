import BaizeTable

// Undo and redo of this participant's own operations.
extension TableModel {
  /// Whether there is an operation of this model to undo.
  public var canUndo: Bool { !history.steps.isEmpty }

  /// Whether there is an undo to take back.
  public var canRedo: Bool { !history.undone.isEmpty }

  /// Undoes the last operation of this model that took effect and has not been undone.
  ///
  /// The undo is refused, and ``lastRefusal`` says why, if others have touched the same items since or if the operation
  /// has shown a hidden face. That operation is then dropped, so that the next call undoes the one before it.
  ///
  /// - Returns: The undo's submission; `nil` if there is nothing to undo.
  @discardableResult
  public func undo() -> Submission? {
    guard let step = history.takeStep() else { return nil }
    let undo = client.undo(step)
    // Before its answer is shown, which may be there already.
    history.undid(undo)
    return shown(undo)
  }

  /// Performs the operation again that was undone last. A new operation of the user ends what can be redone.
  ///
  /// - Returns: The redo's submission; `nil` if there is nothing to redo.
  @discardableResult
  public func redo() -> Submission? {
    guard let undo = history.takeUndone() else { return nil }
    let redo = client.undo(undo)
    history.redid(redo)
    return shown(redo)
  }
}
