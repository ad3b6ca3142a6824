import BaizeSync
import BaizeTable
import BaizeTableTypes
import Synchronization

/// One shard's cache of table types, compiled when a table of the type is created. Only the shard's thread uses it; the
/// lock only satisfies the compiler.
final class ShardTableTypes: TableTypeSource {
  private let cache: Mutex<TableTypeCache>

  init(_ library: TableTypeLibrary) { cache = Mutex(TableTypeCache(library)) }

  func tableType(named text: String) throws(TableTypeFailure) -> TableType {
    let result = cache.withLock { cache -> Result<TableType, TableTypeError> in
      do throws(TableTypeError) { return .success(try cache.tableType(text)) } catch { return .failure(error) }
    }
    switch result {
    case .success(let type): return type
    case .failure(let error):
      switch error {
      case .unknownType: throw .unknownType(detail: error.description)
      case .unreadableOption, .unknownOption, .repeatedOption, .valueNotAllowed, .mistakes:
        throw .badOption(detail: error.description)
      }
    }
  }
}
