/// Something wrong in a document, and where.
public struct Mistake: Error, Hashable, Sendable {
  public let kind: Kind
  /// Such as `collections[0].accept.onItem[1].require`; empty for the document as a whole.
  public let path: String
  /// A sentence without a full stop.
  public let message: String
  public let position: TextPosition

  public enum Kind: Hashable, Sendable {
    /// The text is no JSON, or a key appears twice.
    case syntax
    /// The JSON is not of the form that `Protocol/table-type.schema.json` describes.
    case form
    /// The form is right, and what it says makes no sense: an unknown name, a deal of more cards than there are.
    case meaning
  }

  init(_ kind: Kind, _ message: String, path: DocumentPath, position: TextPosition) {
    self.kind = kind
    self.path = path.description
    self.message = message
    self.position = position
  }
}

extension Mistake {
  private init(_ kind: Kind, _ message: String, path: String, position: TextPosition) {
    self.kind = kind
    self.path = path
    self.message = message
    self.position = position
  }

  /// The mistake as it is with options chosen so.
  func with(_ options: String) -> Mistake {
    Mistake(kind, "with \(options), \(message)", path: path, position: position)
  }
}

extension Mistake: CustomStringConvertible {
  /// `path: message (line:column)`.
  public var description: String { (path.isEmpty ? "" : path + ": ") + "\(message) (\(position))" }
}

extension Mistake: Comparable {
  /// By position, then by what is said.
  public static func < (left: Self, right: Self) -> Bool {
    (left.position, left.path, left.message) < (right.position, right.path, right.message)
  }
}

/// All mistakes of a document: at least one, in the order of their positions.
public struct DocumentMistakes: Error, Hashable, Sendable, CustomStringConvertible {
  public let mistakes: [Mistake]

  init(_ mistakes: some Sequence<Mistake>) { self.mistakes = Set(mistakes).sorted() }

  /// One mistake a line.
  public var description: String { mistakes.map(\.description).joined(separator: "\n") }
}
