import BaizeSync
import BaizeTable
import BaizeTableTypes
import Synchronization

/// Compiles the table types that a journal's tables were made with: the tables of one type share it.
final class JournalTableTypes: TableTypeReader {
  private let cache = Mutex(DocumentCache())

  func tableType(document: String, options: [Attribute]) throws -> TableType {
    try cache.withLock { try $0.tableType(document: document, options: options) }
  }
}
