// The pages are those of developer.apple.com/documentation, named in full below "CoreTransferable".

public import UniformTypeIdentifiers

/// Page `transferable`.
public protocol Transferable: Sendable {
  /// Page `transferable/representation`.
  associatedtype Representation: TransferRepresentation
  /// Page `transferable/transferrepresentation`.
  @TransferRepresentationBuilder<Self> static var transferRepresentation: Representation { get }
}

/// Page `transferrepresentation`.
public protocol TransferRepresentation<Item>: Sendable {
  associatedtype Item: Transferable
}

extension TransferRepresentation {
  /// Page `transferrepresentation/exportingcondition(_:)`.
  public func exportingCondition(
    _ condition: @escaping @Sendable (Self.Item) -> Bool
  ) -> _ConditionalTransferRepresentation<Self> {
    _ConditionalTransferRepresentation()
  }
}

/// Page `transferrepresentation/exportingcondition(_:)`, in its declaration.
public struct _ConditionalTransferRepresentation<Content: TransferRepresentation>: TransferRepresentation {
  public typealias Item = Content.Item
}

/// Page `codablerepresentation`. The encoder and decoder are JSON's, as with `init(for:contentType:)`.
public struct CodableRepresentation<Item: Transferable & Codable>: TransferRepresentation {
  /// Page `codablerepresentation/init(for:contenttype:)`.
  public init(for itemType: Item.Type = Item.self, contentType: UTType) {}
}

/// Page `proxyrepresentation`.
public struct ProxyRepresentation<Item: Transferable, ProxyRepresentation: Transferable>: TransferRepresentation {
  /// Page `proxyrepresentation/init(exporting:)`.
  public init(exporting: @escaping @Sendable (Item) throws -> ProxyRepresentation) {}
}

/// Page `transferrepresentationbuilder`.
@resultBuilder
public struct TransferRepresentationBuilder<Item: Transferable> {
  public static func buildBlock<Content: TransferRepresentation<Item>>(_ content: Content) -> Content { content }

  public static func buildExpression<Content: TransferRepresentation<Item>>(_ content: Content) -> Content { content }

  public static func buildBlock<C1: TransferRepresentation<Item>, C2: TransferRepresentation<Item>>(
    _ content1: C1, _ content2: C2
  ) -> TupleTransferRepresentation<Item> {
    TupleTransferRepresentation()
  }
}

/// Page `tupletransferrepresentation`.
public struct TupleTransferRepresentation<Item: Transferable>: TransferRepresentation {}

/// Page `transferable`, among the conforming types.
extension String: Transferable {
  public static var transferRepresentation: some TransferRepresentation {
    CodableRepresentation(for: String.self, contentType: .json)
  }
}
