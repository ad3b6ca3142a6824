/// The source of the daemon's table types.
public protocol TableTypeSource: Sendable {
  /// Returns the type that a client named, with the options after `?`, such as `klondike?draw=3`.
  func tableType(named text: String) throws(TableTypeFailure) -> TableType
}

/// The error for a table type that does not exist or is not valid.
public enum TableTypeFailure: Error, Hashable, Sendable {
  /// There is no type of that name.
  case unknownType(detail: String)
  /// An option does not exist, or cannot have the value.
  case badOption(detail: String)
}

/// A reader of the table type documents that welcomes and journals carry. (`BaizeTableTypes` has one; the machines do not
/// parse JSON.)
public protocol TableTypeReader: Sendable {
  /// Returns the table type that a JSON document and a choice for each of its options describe.
  ///
  /// - Throws: If the document or an option is invalid.
  func tableType(document: String, options: [Attribute]) throws -> TableType
}
