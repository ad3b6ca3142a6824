public import BaizeSync
public import BaizeTable
import BaizeTableTypes
import Synchronization

/// Compiles table type documents and caches the last few, so that clients of tables of one type share their rules.
public final class TableTypeCompiler: TableTypeReader {
  private let cache = Mutex(DocumentCache())

  /// The process-wide cache.
  public static let shared = TableTypeCompiler()

  /// Creates an empty cache.
  public init() {}

  /// Returns the compiled table type of a document.
  ///
  /// - Parameters:
  ///   - document: The document's JSON text.
  ///   - options: The values of the document's options.
  /// - Returns: The compiled type, from the cache if possible.
  /// - Throws: An error that describes the mistake in the document or in the options.
  public func tableType(document: String, options: [Attribute]) throws -> TableType {
    try cache.withLock { try $0.tableType(document: document, options: options) }
  }
}
