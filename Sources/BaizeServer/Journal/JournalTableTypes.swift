import BaizeSync
import BaizeTable
import BaizeTableTypes
import Synchronization

/// A cache of the table types of a journal's tables: tables of the same type share its compiled form.
final class JournalTableTypes: TableTypeReader {
  private let cache = Mutex(DocumentCache())

  func tableType(document: String, options: [Attribute]) throws -> TableType {
    try cache.withLock { try $0.tableType(document: document, options: options) }
  }
}
