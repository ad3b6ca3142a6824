public import BaizeTable

/// A table that is to be made, with so many items that nobody else should wait for it meanwhile.
public struct TableSetUp: Sendable {
  public let table: String
  let type: TableType
  let random: RandomSource

  /// Makes, shuffles and deals the items. It may be done on any thread.
  ///
  /// - Complexity: O(number of items).
  public func make() -> Table {
    var table = Table(type: type, random: random)
    // The first hash costs as much as all items; the next ones what has changed.
    _ = table.viewHash()
    return table
  }
}
