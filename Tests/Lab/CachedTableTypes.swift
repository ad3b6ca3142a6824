import BaizeTable
import BaizeTableTypes

/// The table types of a library, each compiled once.
final class CachedTableTypes: TableTypeSource, TableTypeReader {
  private let cache: TableTypeCache

  init(_ library: TableTypeLibrary = .bundled) { cache = TableTypeCache(library) }

  func tableType(named text: String) throws(TableTypeFailure) -> TableType { try cache.tableType(named: text) }

  func tableType(document: String, options: [Attribute]) throws -> TableType {
    try TableTypeCompiler.shared.tableType(document: document, options: options)
  }
}
