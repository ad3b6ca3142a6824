public import BaizeSync
public import BaizeTable
import BaizeTableTypes
import Synchronization

/// Compiles the table types that welcomes carry, and remembers the last few: many clients at tables of one type share
/// their rules.
public final class TableTypeDocuments: TableTypeReader {
  private struct Entry {
    let document: String
    let options: [Attribute]
    let tableType: TableType
  }

  /// Oldest first.
  private let entries = Mutex<[Entry]>([])

  /// For whoever has no reason to keep one of their own.
  public static let shared = TableTypeDocuments()

  public init() {}

  /// - Throws: What is wrong with the document or with the options.
  public func tableType(document: String, options: [Attribute]) throws -> TableType {
    let known = entries.withLock { entries in
      entries.first { $0.document == document && $0.options == options }?.tableType
    }
    if let known { return known }
    let tableType = try TableTypeDocument(parsing: document).makeTableType(options: options)
    entries.withLock { entries in
      if entries.count >= ClientLimits.cachedTypesMax { entries.removeFirst() }
      entries.append(Entry(document: document, options: options, tableType: tableType))
    }
    return tableType
  }
}
