public import BaizeSync
public import BaizeTable
import BaizeTableTypes
import Synchronization

/// Compiles the table types that welcomes carry, and remembers the last few: many clients at tables of one type share
/// their rules.
public final class TableTypeDocuments: TableTypeReader {
  private let cache = Mutex(DocumentCache())

  /// For whoever has no reason to keep one of their own.
  public static let shared = TableTypeDocuments()

  public init() {}

  /// - Throws: What is wrong with the document or with the options.
  public func tableType(document: String, options: [Attribute]) throws -> TableType {
    try cache.withLock { try $0.tableType(document: document, options: options) }
  }
}
