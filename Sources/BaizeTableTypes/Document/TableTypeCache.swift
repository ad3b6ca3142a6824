public import BaizeTable

/// A library that remembers what it compiled, so that tables of one type share their rules. A plain value: each shard
/// owns one, and nothing is locked.
public struct TableTypeCache: Sendable {
  public let library: TableTypeLibrary
  private var compiled: [String: TableType] = [:]

  public init(_ library: TableTypeLibrary = .bundled) { self.library = library }

  /// The table type that `text` names, such as `klondike?draw=3`: the same instance for the same text, mostly.
  public mutating func tableType(_ text: String) throws(TableTypeError) -> TableType {
    if let tableType = compiled[text] { return tableType }
    let tableType = try library.tableType(text)
    if compiled.count >= DocumentLimits.cachedTypesMax { compiled.removeAll() }
    compiled[text] = tableType
    return tableType
  }
}
