public import BaizeTable

/// The table types that a daemon or a client knows.
public struct TableTypeLibrary: Sendable {
  /// The documents, sorted by name.
  public private(set) var documents: [TableTypeDocument] = []

  public init() {}

  /// The types bundled with Baize: the files in `Protocol/table-types`, which the build embeds.
  public static let bundled = [
    PackageResources.board_json, PackageResources.grid_json, PackageResources.hand_json, PackageResources.hearts_json,
    PackageResources.kanban_json, PackageResources.klondike_json,
    PackageResources.list_json, PackageResources.nerts_json, PackageResources.playlist_json,
    PackageResources.speed_json,
  ].reduce(TableTypeLibrary()) { library, bundled in
    do throws(DocumentMistakes) {
      return library.adding(try TableTypeDocument(parsing: bundled))
    } catch {
      preconditionFailure("a bundled table type is wrong: \(error)\n\(String(decoding: bundled, as: UTF8.self))")
    }
  }

  /// The documents that are not bundled with Baize, or not as they are here.
  public var ownDocuments: [TableTypeDocument] {
    documents.filter { Self.bundled[$0.name]?.text.hasBytes(of: $0.text) != true }
  }

  /// Returns the library with another document, which replaces one of the same name.
  public func adding(_ document: TableTypeDocument) -> TableTypeLibrary {
    var library = self
    library.documents.removeAll { $0.name.hasBytes(of: document.name) }
    let index = library.documents.firstIndex { $0.name > document.name } ?? library.documents.count
    library.documents.insert(document, at: index)
    return library
  }

  public subscript(name: String) -> TableTypeDocument? { documents.first { $0.name.hasBytes(of: name) } }

  /// Returns the table type that `text` names, with options after a question mark: `klondike?draw=3`.
  public func tableType(_ text: String) throws(TableTypeError) -> TableType {
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let document = self[name] else { throw .unknownType(name, known: documents.map(\.name)) }
    return try document.makeTableType(options: parts.count == 2 ? String(parts[1]) : "")
  }
}
