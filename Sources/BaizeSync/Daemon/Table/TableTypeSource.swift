public import BaizeTable

/// Where the daemon's tables get their types from.
public protocol TableTypeSource: Sendable {
  /// The type that a client named, with the options behind `?`, such as `klondike?draw=3`.
  func tableType(named text: String) throws(TableTypeFailure) -> TableType
}

/// Why there is no such table type.
public enum TableTypeFailure: Error, Hashable, Sendable {
  case unknownType(detail: String)
  case badOption(detail: String)
}
