public import BaizeTable

/// The source of the daemon's table types.
public protocol TableTypeSource: Sendable {
  /// Returns the type that a client named, with the options after `?`, such as `klondike?draw=3`.
  func tableType(named text: String) throws(TableTypeFailure) -> TableType
}

/// The error for a table type that does not exist or is not valid.
public enum TableTypeFailure: Error, Hashable, Sendable {
  case unknownType(detail: String)
  case badOption(detail: String)
}
