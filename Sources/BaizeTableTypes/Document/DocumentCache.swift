public import BaizeTable

/// Table types compiled from documents that came from elsewhere, a daemon's welcome or a journal, and remembered, so that
/// tables of one type share their rules. A plain value: whoever shares it locks it.
public struct DocumentCache: Sendable {
  private struct Entry: Sendable {
    let document: String
    let options: [Attribute]
    let tableType: TableType
  }

  /// Oldest first.
  private var entries: [Entry] = []

  public init() {}

  /// The table type of a document with the options that were chosen: the same instance for the same two, mostly.
  ///
  /// - Throws: `DocumentMistakes` or ``TableTypeError``: what is wrong with the document or with the options.
  public mutating func tableType(document: String, options: [Attribute]) throws -> TableType {
    if let known = entries.first(where: { $0.document == document && $0.options == options }) { return known.tableType }
    let tableType = try TableTypeDocument(parsing: document).makeTableType(options: options)
    if entries.count >= DocumentLimits.cachedTypesMax { entries.removeFirst() }
    entries.append(Entry(document: document, options: options, tableType: tableType))
    return tableType
  }
}
