#if BAIZE_SWIFTUI_DECLARATIONS || (canImport(SwiftUI) && compiler(>=6.4) && (os(macOS) || os(iOS) || os(visionOS)))
  public import BaizeTable
  public import SwiftUI

  // SwiftUI's reordering types and Baize's have the same meaning. Collection ids are collection handles.

  @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
  extension BaizeTable.ReorderDifference {
    /// Converts the difference that `reorderContainer(for:in:isEnabled:move:)` passes to its closure.
    public init(_ difference: SwiftUI.ReorderDifference<ItemID, CollectionHandle>) {
      self.init(sources: difference.sources, destination: BaizeTable.Destination(difference.destination))
    }

    /// Converts a difference whose collection ids are the app's own.
    ///
    /// - Parameters:
    ///   - difference: The difference that the closure of `reorderContainer` receives.
    ///   - handle: Returns the handle of a collection id, for example `TableClient.handle(of:)`.
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
    /// Converts a destination, such as that of a drop session.
    public init(_ destination: SwiftUI.ReorderDifference<ItemID, CollectionHandle>.Destination) {
      self.init(collection: destination.collectionID, position: BaizeTable.Position(destination.position))
    }
  }

  @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
  extension BaizeTable.Position {
    /// Converts a position in a collection.
    public init<CollectionID>(_ position: SwiftUI.ReorderDifference<ItemID, CollectionID>.Destination.Position) {
      switch position {
      case .before(let item): self = .before(item)
      case .end: self = .end
      }
    }
  }

  @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
  extension SwiftUI.ReorderDifference.Destination where ItemID == BaizeTable.ItemID, CollectionID == CollectionHandle {
    /// Converts a destination for SwiftUI, such as the one that the rules chose.
    public init(_ destination: BaizeTable.Destination) {
      let position: Position =
        switch destination.position {
        case .before(let item): .before(item)
        case .end: .end
        }
      self.init(position: position, collectionID: destination.collection)
    }
  }
#endif
