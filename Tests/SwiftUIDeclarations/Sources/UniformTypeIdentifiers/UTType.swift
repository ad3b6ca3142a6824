// The pages are those of developer.apple.com/documentation, named in full below "Uniform Type Identifiers".

/// Page `uttype-swift.struct`.
public struct UTType: Hashable, Sendable {
  private let identifier: String

  /// Page `uttype-swift.struct/init(exportedas:conformingto:)`.
  public init(exportedAs identifier: String, conformingTo parentType: UTType? = nil) { self.identifier = identifier }

  /// Page `uttype-swift.struct/json`.
  public static var json: UTType { UTType(exportedAs: "public.json") }
}
