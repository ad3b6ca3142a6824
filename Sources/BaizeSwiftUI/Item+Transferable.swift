#if BAIZE_SWIFTUI_DECLARATIONS || (canImport(SwiftUI) && compiler(>=6.4) && (os(macOS) || os(iOS) || os(visionOS)))
  import BaizeClient
  public import BaizeTable
  public import SwiftUI
  public import UniformTypeIdentifiers

  extension UTType {
    /// An item of a Baize table, as JSON. An app that exchanges items with others declares it in its `Info.plist`.
    public static var baizeItem: UTType { UTType(exportedAs: "org.baize.item", conformingTo: .json) }
  }

  @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
  extension BaizeTable.Item: Transferable {
    /// The item's content as JSON, and as plain text if it has a text to show.
    public static var transferRepresentation: some TransferRepresentation {
      CodableRepresentation(contentType: .baizeItem)
      ProxyRepresentation(exporting: { (item: BaizeTable.Item) in item.face.plainText ?? "" })
        .exportingCondition { item in item.face.plainText != nil }
    }
  }
#endif
