import BaizeClient
import BaizeSync
import BaizeTable
import BaizeTableTypes
import Synchronization

/// The table types of a library, each compiled once.
final class CachedTableTypes: TableTypeSource, TableTypeReader {
  private let cache: Mutex<TableTypeCache>

  init(_ library: TableTypeLibrary = .bundled) { cache = Mutex(TableTypeCache(library)) }

  func tableType(named text: String) throws(TableTypeFailure) -> TableType {
    let type = cache.withLock { cache in try? cache.tableType(text) }
    guard let type else { throw .unknownType(detail: "there is no table type \(text)") }
    return type
  }

  func tableType(document: String, options: [Attribute]) throws -> TableType {
    try TableTypeCompiler.shared.tableType(document: document, options: options)
  }
}
