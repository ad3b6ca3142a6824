public import BaizeTable

/// A cache of table types compiled from the documents in welcomes and journals, so that tables of one type share their
/// rules. It is a plain value; a caller that shares it between threads must lock it.
public struct DocumentCache: Sendable {
  private struct Entry: Sendable {
    let document: String
    let options: [Attribute]
    let tableType: TableType
  }

  /// Oldest first.
  private var entries: [Entry] = []

  /// Creates an empty cache.
  public init() {}

  /// Returns the table type of a document with chosen options. Equal arguments usually give the same instance.
  ///
  /// - Throws: ``DocumentMistakes`` or ``TableTypeError``, which describe the mistake in the document or the options.
  public mutating func tableType(document: String, options: [Attribute]) throws -> TableType {
    if let known = entries.first(where: { $0.document == document && $0.options == options }) { return known.tableType }
    let tableType = try TableTypeDocument(parsing: document).makeTableType(options: options)
    if entries.count >= DocumentLimits.cachedTypesMax { entries.removeFirst() }
    entries.append(Entry(document: document, options: options, tableType: tableType))
    return tableType
  }
}
