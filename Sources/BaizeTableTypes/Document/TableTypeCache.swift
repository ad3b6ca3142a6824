public import BaizeTable
import Synchronization

/// A library with a cache of compiled types, so that tables of one type share their rules.
public final class TableTypeCache: TableTypeSource {
  private let library: TableTypeLibrary
  private let compiled = Mutex(Compiled())

  private struct Compiled {
    var types: [String: TableType] = [:]
    /// The texts in the order in which they were compiled.
    var texts: [String] = []

    /// Keeps a type, in place of the one that was compiled first if there are as many as are kept.
    mutating func insert(_ type: TableType, named text: String) {
      guard types.updateValue(type, forKey: text) == nil else { return }
      if texts.count >= DocumentLimits.cachedTypesMax { types[texts.removeFirst()] = nil }
      texts.append(text)
    }
  }

  /// Creates an empty cache over a library.
  public init(_ library: TableTypeLibrary = .bundled) { self.library = library }

  /// Returns the table type that `text` names, such as `klondike?draw=3`. Equal texts usually give the same instance.
  public func tableType(named text: String) throws(TableTypeFailure) -> TableType {
    if let tableType = kept(text) { return tableType }
    do throws(TableTypeError) {
      let tableType = try library.tableType(text)
      compiled.withLock { $0.insert(tableType, named: text) }
      return tableType
    } catch {
      throw error.failure
    }
  }

  public func isCompiled(_ text: String) -> Bool { kept(text) != nil }

  /// The names of types and options are ASCII. A dictionary finds a text under others that are canonically equivalent.
  private func kept(_ text: String) -> TableType? {
    text.utf8.allSatisfy { $0 < 0x80 } ? compiled.withLock { $0.types[text] } : nil
  }

  public func isType(_ type: TableType, named text: String) throws(TableTypeFailure) -> Bool {
    do throws(TableTypeError) {
      return try library.isType(type, named: text)
    } catch {
      throw error.failure
    }
  }

  public func hasOtherDocument(than type: TableType) -> Bool { library.hasOtherDocument(than: type) }

  public func presentType(for type: TableType, named text: String) -> PresentType? {
    library.presentType(for: type, named: text)
  }
}
