#if canImport(SwiftUI)
  // Conversions between SwiftUI's reordering types and Baize's. CI runs on Linux, which has no SwiftUI, so it does not
  // build this file. It is written against the SDKs 27 and guarded by their compiler version.

  public import BaizeTable
  public import SwiftUI

  #if compiler(>=6.4)
    @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
    extension BaizeTable.ReorderDifference {
      /// Converts the difference that `reorderContainer(for:in:move:)` passes to its closure, with collection handles as
      /// collection ids.
      public init(_ difference: SwiftUI.ReorderDifference<ItemID, CollectionHandle>) {
        let destination = BaizeTable.Destination(difference.destination)
        self.init(sources: difference.sources, destination: destination)
      }

      /// Converts a difference whose collection ids are the app's own.
      ///
      /// - Parameters:
      ///   - difference: The difference that the closure of `reorderContainer` receives.
      ///   - handle: Returns the handle of a collection id, for example with ``TableClient/handle(of:)``.
      /// - Returns: `nil` if the collection has no handle.
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
      /// Converts the destination of a drop session.
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
    /// Converts the rules' verdict for a `dropConfiguration` closure. The closure cannot express a redirection; the
    /// daemon applies it to the drop. Only macOS takes the number of accepted items.
    public init(_ configuration: BaizeTable.DropConfiguration) {
      self.init(operation: SwiftUI.DropOperation(configuration.operation))
      #if os(macOS)
        acceptedItemCount = configuration.acceptedItemCount
      #endif
    }
  }

  extension SwiftUI.DropOperation {
    /// Converts a drop operation. An operation that the platform lacks becomes `.forbidden`.
    public init(_ operation: BaizeTable.DropOperation) {
      switch operation {
      case .cancel: self = .cancel
      case .copy: self = .copy
      case .move: self = .move
      case .delete:
        #if os(macOS)
          self = .delete
        #else
          // This platform has no `.delete`: offer a move, and the rules delete the items.
          self = .move
        #endif
      case .alias, .forbidden: self = .forbidden
      }
    }
  }
#endif
