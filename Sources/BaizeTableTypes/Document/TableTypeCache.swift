public import BaizeTable
import Synchronization

/// A library with a cache of compiled types, so that tables of one type share their rules.
public final class TableTypeCache: TableTypeSource {
  private let library: TableTypeLibrary
  private let compiled = Mutex<[String: TableType]>([:])

  /// Creates an empty cache over a library.
  public init(_ library: TableTypeLibrary = .bundled) { self.library = library }

  /// Returns the table type that `text` names, such as `klondike?draw=3`. Equal texts usually give the same instance.
  public func tableType(named text: String) throws(TableTypeFailure) -> TableType {
    // The names of types and options are ASCII. A dictionary finds a text under others that are canonically equivalent.
    if text.utf8.allSatisfy({ $0 < 0x80 }), let tableType = compiled.withLock({ $0[text] }) { return tableType }
    do throws(TableTypeError) {
      let tableType = try library.tableType(text)
      compiled.withLock { compiled in
        if compiled.count >= DocumentLimits.cachedTypesMax { compiled.removeAll() }
        compiled[text] = tableType
      }
      return tableType
    } catch {
      throw error.failure
    }
  }

  public func isType(_ type: TableType, named text: String) throws(TableTypeFailure) -> Bool {
    let named = try tableType(named: text)
    guard named.name.hasBytes(of: type.name) else { return false }
    return named.options == type.options || library.isOlderType(type, named: text)
  }

  public func hasOtherDocument(than type: TableType) -> Bool { library.hasOtherDocument(than: type) }

  public func presentType(for type: TableType, named text: String) -> PresentType? {
    library.presentType(for: type, named: text)
  }
}
