public import BaizeTable
import Synchronization

/// Compiles table type documents and caches the last few, so that tables of one type share their rules.
public final class TableTypeCompiler: TableTypeReader {
  private struct Entry {
    let document: String
    let options: [Attribute]
    let tableType: TableType
  }

  /// Oldest first.
  private let entries = Mutex<[Entry]>([])

  /// The process-wide cache.
  public static let shared = TableTypeCompiler()

  /// Creates an empty cache.
  public init() {}

  /// Returns the compiled table type of a document. Equal arguments usually give the same instance.
  ///
  /// - Throws: ``DocumentMistakes`` or ``TableTypeError``, which describe the mistake in the document or the options.
  public func tableType(document: String, options: [Attribute]) throws -> TableType {
    try entries.withLock { entries in
      let known = entries.first { $0.document.hasBytes(of: document) && $0.options == options }
      if let known { return known.tableType }
      let tableType = try TableTypeDocument(parsing: document).makeTableType(options: options)
      if entries.count >= DocumentLimits.cachedTypesMax { entries.removeFirst() }
      entries.append(Entry(document: document, options: options, tableType: tableType))
      return tableType
    }
  }
}
