#if canImport(SwiftUI)
  // From SwiftUI's own reordering types to ours, and back. Our CI builds on Linux, where there is no SwiftUI, and so does
  // not build this file; it is written against the SDKs 27 and guarded by their compiler.

  public import BaizeTable
  public import SwiftUI

  #if compiler(>=6.4)
    @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
    extension BaizeTable.ReorderDifference {
      /// What a `reorderContainer(for:in:move:)` hands to its closure, where collections go by our handles.
      public init(_ difference: SwiftUI.ReorderDifference<ItemID, CollectionHandle>) {
        let destination = BaizeTable.Destination(difference.destination)
        self.init(sources: difference.sources, destination: destination)
      }

      /// The same where collections go by a name of the app's own.
      ///
      /// - Parameter handle: The handle of such a name, as ``TableClient/handle(of:)`` gives it; `nil` for none.
      /// - Returns: `nil` where the collection has no handle.
      public init?<CollectionID>(
        _ difference: SwiftUI.ReorderDifference<ItemID, CollectionID>, handle: (CollectionID) -> CollectionHandle?
      ) {
        guard let collection = handle(difference.destination.collectionID) else { return nil }
        let position = BaizeTable.Position(difference.destination.position)
        self.init(
          sources: difference.sources, destination: BaizeTable.Destination(collection: collection, position: position))
      }
    }

    @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
    extension BaizeTable.Destination {
      /// Where a `DropSession` would reorder to.
      public init(_ destination: SwiftUI.ReorderDifference<ItemID, CollectionHandle>.Destination) {
        self.init(collection: destination.collectionID, position: BaizeTable.Position(destination.position))
      }
    }

    @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
    extension BaizeTable.Position {
      init<CollectionID>(_ position: SwiftUI.ReorderDifference<ItemID, CollectionID>.Destination.Position) {
        switch position {
        case .before(let item): self = .before(item)
        case .end: self = .end
        }
      }
    }
  #endif

  @available(macOS 26.0, iOS 26.0, visionOS 26.0, *)
  extension SwiftUI.DropConfiguration {
    /// The rules' verdict for a `dropConfiguration` closure. A destination elsewhere is the daemon's to choose: only
    /// macOS could be told of it.
    public init(_ configuration: BaizeTable.DropConfiguration) {
      self.init(operation: SwiftUI.DropOperation(configuration.operation))
      #if os(macOS)
        acceptedItemCount = configuration.acceptedItemCount
      #endif
    }
  }

  extension SwiftUI.DropOperation {
    /// The same operation in SwiftUI's words; what a system does not have is forbidden there.
    public init(_ operation: BaizeTable.DropOperation) {
      switch operation {
      case .cancel: self = .cancel
      case .copy: self = .copy
      case .move: self = .move
      case .delete:
        #if os(macOS)
          self = .delete
        #else
          // Where there is no such word the closure is called for a move, and the rules delete all the same.
          self = .move
        #endif
      case .alias, .forbidden: self = .forbidden
      }
    }
  }
#endif
