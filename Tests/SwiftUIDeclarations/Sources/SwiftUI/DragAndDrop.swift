// The pages are those of developer.apple.com/documentation, named in full below "SwiftUI". What a page gives for macOS
// alone is declared for macOS alone.

/// Page `dropoperation`.
public enum DropOperation: Hashable, Sendable {
  case cancel
  case copy
  case forbidden
  case move
  #if BAIZE_SWIFTUI_DECLARATIONS_MACOS
    case alias
    case delete
  #endif

  /// Page `dropoperation/set`.
  public struct Set: OptionSet, Sendable {
    public let rawValue: Int
    /// Page `dropoperation/set/init(rawvalue:)`.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Page `dropoperation/set/copy`.
    public static let copy = Set(rawValue: 1)
    /// Page `dropoperation/set/move`.
    public static let move = Set(rawValue: 2)
    #if BAIZE_SWIFTUI_DECLARATIONS_MACOS
      /// Page `dropoperation/set/alias`.
      public static let alias = Set(rawValue: 4)
      /// Page `dropoperation/set/delete`.
      public static let delete = Set(rawValue: 8)
    #endif
  }
}

/// Page `dropconfiguration`.
public struct DropConfiguration {
  /// Page `dropconfiguration/operation`.
  public let operation: DropOperation
  #if BAIZE_SWIFTUI_DECLARATIONS_MACOS
    /// Page `dropconfiguration/accepteditemcount`.
    public var acceptedItemCount: Int?
  #endif

  /// Page `dropconfiguration/init(operation:)`.
  public init(operation: DropOperation) { self.operation = operation }

  #if BAIZE_SWIFTUI_DECLARATIONS_MACOS
    /// Page `dropconfiguration/init(operation:destination:)`.
    public init<ItemID, CollectionID>(
      operation: DropOperation, destination: ReorderDifference<ItemID, CollectionID>.Destination
    ) where ItemID: Hashable, ItemID: Sendable, CollectionID: Hashable, CollectionID: Sendable {
      self.operation = operation
    }
  #endif
}

/// Page `dragconfiguration`.
public struct DragConfiguration {
  /// Page `dragconfiguration/init(allowmove:)`.
  public init(allowMove: Bool) {}
  #if BAIZE_SWIFTUI_DECLARATIONS_MACOS
    /// Page `dragconfiguration/init(allowmove:allowdelete:)`.
    public init(allowMove: Bool, allowDelete: Bool) {}
  #endif
}

/// Page `dropsession`.
public struct DropSession {
  /// Page `dropsession/suggestedoperations`.
  public var suggestedOperations: DropOperation.Set
  /// Page `dropsession/itemscount`.
  public var itemsCount: Int
  /// Page `dropsession/location`.
  public var location: CGPoint
  /// Page `dropsession/size`.
  public var size: CGSize
  /// Page `dropsession/localsession-swift.property`.
  public var localSession: LocalSession?

  /// Page `dropsession/localsession-swift.struct`.
  public struct LocalSession {
    /// Page `dropsession/localsession-swift.struct/draggeditemids(for:)`.
    public func draggedItemIDs<ItemID>(for type: ItemID.Type) -> [ItemID] where ItemID: Hashable { [] }
  }
}

/// Page `dragsession`.
public struct DragSession {
  /// Page `dragsession/phase-swift.property`.
  public var phase: Phase
  /// Page `dragsession/draggeditemids(for:)`.
  public func draggedItemIDs<ItemID>(for type: ItemID.Type) -> [ItemID] where ItemID: Hashable { [] }

  /// Page `dragsession/phase-swift.enum`.
  public enum Phase: Hashable, Sendable {
    case initial
    case active
    case ended(DropOperation)
    case dataTransferCompleted
  }
}

#if BAIZE_SWIFTUI_DECLARATIONS_MACOS
  /// Page `dragdroppreviewsformation`.
  public struct DragDropPreviewsFormation: Sendable {
    /// Page `dragdroppreviewsformation/default`.
    public static let `default` = DragDropPreviewsFormation()
    /// Page `dragdroppreviewsformation/list`.
    public static let list = DragDropPreviewsFormation()
    /// Page `dragdroppreviewsformation/none`.
    public static let none = DragDropPreviewsFormation()
    /// Page `dragdroppreviewsformation/pile`.
    public static let pile = DragDropPreviewsFormation()
    /// Page `dragdroppreviewsformation/stack`.
    public static let stack = DragDropPreviewsFormation()
  }
#endif
