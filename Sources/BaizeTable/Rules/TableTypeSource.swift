/// The source of the daemon's table types.
public protocol TableTypeSource: Sendable {
  /// Returns the type that a client named, with the options after `?`, such as `klondike?draw=3`.
  func tableType(named text: String) throws(TableTypeFailure) -> TableType

  /// Returns whether ``tableType(named:)`` returns the type without compiling its document, which takes a while.
  func isCompiled(_ text: String) -> Bool

  /// Returns whether the type of an existing table is the one that a client named (rule J3).
  func isType(_ type: TableType, named text: String) throws(TableTypeFailure) -> Bool

  /// Returns whether there is a type of the same name with another document.
  func hasOtherDocument(than type: TableType) -> Bool

  /// Returns what a table's type becomes with the present document of the same name and the table's options; `nil` if there
  /// is none, or if the table has it.
  ///
  /// - Parameters:
  ///   - type: The table's type.
  ///   - text: The type as the table's creator named it.
  func presentType(for type: TableType, named text: String) -> PresentType?
}

extension TableTypeSource {
  /// Returns true, for a source whose types are all compiled.
  public func isCompiled(_ text: String) -> Bool { true }

  /// Returns whether a type has the same name and the same options, for a source whose documents do not change.
  public func isType(_ type: TableType, named text: String) throws(TableTypeFailure) -> Bool {
    let named = try tableType(named: text)
    return named.name.hasBytes(of: type.name) && named.options == type.options
  }

  /// Returns false, for a source whose documents do not change.
  public func hasOtherDocument(than type: TableType) -> Bool { false }

  /// Returns `nil`, for a source whose documents do not change.
  public func presentType(for type: TableType, named text: String) -> PresentType? { nil }
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
