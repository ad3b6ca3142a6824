import BaizeTable

/// The kinds of operations that a report tells apart.
package enum OperationKind: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  case move
  case insert
  case remove
  case update
  case action
  case undo
  case other

  init(_ kind: TableOperation.Kind) {
    self =
      switch kind {
      case .reorder: .move
      case .insert: .insert
      case .remove: .remove
      case .update: .update
      case .perform: .action
      case .undo: .undo
      case .unknown, .invalid: .other
      }
  }

  package var name: String { "\(self)" }
}
