public import BaizeTable

/// A library with a cache of compiled types, so that tables of one type share their rules. It is a plain value: each shard
/// owns one, and nothing is locked.
public struct TableTypeCache: Sendable {
  /// The library of documents.
  public let library: TableTypeLibrary
  private var compiled: [String: TableType] = [:]

  /// Creates an empty cache over a library.
  public init(_ library: TableTypeLibrary = .bundled) { self.library = library }

  /// Returns the table type that `text` names, such as `klondike?draw=3`. Equal texts usually give the same instance.
  ///
  /// - Throws: ``TableTypeError`` if the library has no such type or the options are not valid.
  public mutating func tableType(_ text: String) throws(TableTypeError) -> TableType {
    if let tableType = compiled[text] { return tableType }
    let tableType = try library.tableType(text)
    if compiled.count >= DocumentLimits.cachedTypesMax { compiled.removeAll() }
    compiled[text] = tableType
    return tableType
  }
}
