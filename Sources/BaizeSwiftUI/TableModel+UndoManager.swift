#if BAIZE_SWIFTUI_DECLARATIONS || (canImport(SwiftUI) && compiler(>=6.4) && (os(macOS) || os(iOS) || os(visionOS)))
  public import BaizeClient
  public import SwiftUI

  @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
  extension TableModel {
    /// Registers this participant's operations with an undo manager, such as that of the environment, so that the menu
    /// and the gestures of the system undo and redo them.
    ///
    /// Operations that turn out to have had no effect stay registered: undoing goes on with those before, and at the end
    /// does nothing.
    ///
    /// - Parameter undoManager: The undo manager; `nil` for none.
    public func registerUndo(with undoManager: UndoManager?) {
      guard let undoManager else { return undoRegistration = nil }
      undoRegistration = { [weak self, weak undoManager] in
        if let self, let undoManager { registerUndoStep(undoManager) }
      }
    }

    private func registerUndoStep(_ undoManager: UndoManager) {
      undoManager.registerUndo(withTarget: self) { [weak undoManager] model in
        guard model.undo()?.operation != nil, let undoManager else { return }
        model.registerRedoStep(undoManager)
      }
    }

    private func registerRedoStep(_ undoManager: UndoManager) {
      undoManager.registerUndo(withTarget: self) { [weak undoManager] model in
        guard model.redo()?.operation != nil, let undoManager else { return }
        model.registerUndoStep(undoManager)
      }
    }
  }
#endif
