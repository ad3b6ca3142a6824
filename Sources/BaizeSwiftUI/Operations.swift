#if BAIZE_SWIFTUI_DECLARATIONS || (canImport(SwiftUI) && compiler(>=6.4) && (os(macOS) || os(iOS) || os(visionOS)))
  public import BaizeTable
  public import SwiftUI

  // Operations: what a drag offers goes in, what the rules decide comes out.

  @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
  extension BaizeTable.DropOperation.Set {
    /// Converts the operations that a drag suggests. They are never empty, which would mean all of them: a drag that
    /// suggests nothing known has ``BaizeTable/DropOperation/forbidden`` alone, which no rule accepts.
    ///
    /// Where the platform has no operation `delete`, a drag that may be moved may be deleted.
    public init(_ suggested: SwiftUI.DropOperation.Set) {
      self = []
      if suggested.contains(.copy) { insert(.copy) }
      if suggested.contains(.move) { insert(.move) }
      #if os(macOS) || BAIZE_SWIFTUI_DECLARATIONS_MACOS
        if suggested.contains(.alias) { insert(.alias) }
        if suggested.contains(.delete) { insert(.delete) }
      #else
        if suggested.contains(.move) { insert(.delete) }
      #endif
      if isEmpty { insert(Self(.forbidden)) }
    }
  }

  @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
  extension SwiftUI.DropOperation {
    /// Converts the operation of a drop. One that the platform lacks is a move if the rules delete the items, and
    /// otherwise forbidden.
    public init(_ operation: BaizeTable.DropOperation) {
      switch operation {
      case .cancel: self = .cancel
      case .copy: self = .copy
      case .move: self = .move
      case .forbidden: self = .forbidden
      #if os(macOS) || BAIZE_SWIFTUI_DECLARATIONS_MACOS
        case .alias: self = .alias
        case .delete: self = .delete
      #else
        case .alias: self = .forbidden
        case .delete: self = .move
      #endif
      }
    }
  }

  @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
  extension SwiftUI.DropConfiguration {
    /// Converts the rules' verdict for a `dropConfiguration` closure.
    ///
    /// On macOS it names the destination that the rules chose and the number of items that they accept. Other platforms
    /// have neither: there the items land where the rules say only when they are dropped.
    public init(_ configuration: BaizeTable.DropConfiguration) {
      let operation = SwiftUI.DropOperation(configuration.operation)
      #if os(macOS) || BAIZE_SWIFTUI_DECLARATIONS_MACOS
        if let destination = configuration.destination {
          typealias Difference = SwiftUI.ReorderDifference<ItemID, CollectionHandle>
          self.init(operation: operation, destination: Difference.Destination(destination))
        } else {
          self.init(operation: operation)
        }
        acceptedItemCount = configuration.acceptedItemCount
      #else
        self.init(operation: operation)
      #endif
    }
  }

  @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
  extension SwiftUI.DragConfiguration {
    /// Converts the operations that the rules offer for dragged items, for a `dragConfiguration` modifier. SwiftUI
    /// always allows copies; the verdict on a drop forbids those that the rules do not offer.
    public init(_ offers: BaizeTable.DropOperation.Set) {
      #if os(macOS) || BAIZE_SWIFTUI_DECLARATIONS_MACOS
        self.init(allowMove: offers.contains(.move), allowDelete: offers.contains(.delete))
      #else
        self.init(allowMove: !offers.isDisjoint(with: [.move, .delete]))
      #endif
    }
  }
#endif
