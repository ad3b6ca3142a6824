public import BaizeTable

/// The table types that a daemon or a client knows, by name.
public struct TableTypeLibrary: Sendable {
  /// Ascending by name.
  public private(set) var documents: [TableTypeDocument] = []

  public init() {}

  /// The types that come with Baize.
  public static let bundled = BundledTableTypes.documents.reduce(TableTypeLibrary()) { library, bundled in
    do throws(DocumentMistakes) {
      return library.adding(try TableTypeDocument(parsing: bundled.text))
    } catch {
      preconditionFailure("the bundled \(bundled.name) is wrong: \(error)")
    }
  }

  /// The library with one more document, or with another of the same name in its place.
  public func adding(_ document: TableTypeDocument) -> TableTypeLibrary {
    var library = self
    library.documents.removeAll { $0.name == document.name }
    let place = library.documents.firstIndex { $0.name > document.name } ?? library.documents.count
    library.documents.insert(document, at: place)
    return library
  }

  public subscript(name: String) -> TableTypeDocument? { documents.first { $0.name == name } }

  /// The table type that `text` names, with the options behind a question mark: `klondike?draw=3`.
  public func tableType(_ text: String) throws(TableTypeError) -> TableType {
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let document = self[name] else { throw .unknownType(name, known: documents.map(\.name)) }
    return try document.makeTableType(options: parts.count == 2 ? String(parts[1]) : "")
  }
}
