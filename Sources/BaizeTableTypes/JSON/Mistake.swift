public struct Mistake: Error, Hashable, Sendable {
  public let kind: Kind
  /// The path of the value, such as `collections[0].accept.onItem[1].require`; empty for the whole document.
  public let path: String
  /// The description, a sentence without a full stop.
  public let message: String
  public let position: TextPosition

  public enum Kind: Hashable, Sendable {
    /// The text is not JSON, or a key appears twice.
    case syntax
    /// The JSON does not have the form that `Protocol/table-type.schema.json` describes.
    case form
    /// The form is right but the contents are not, for example an unknown name or a deal of too many cards.
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

  /// Returns the mistake with the options under which it occurs.
  func with(_ options: String) -> Mistake {
    Mistake(kind, "with \(options), \(message)", path: path, position: position)
  }
}

extension Mistake: CustomStringConvertible {
  /// The mistake as `path: message (line:column)`.
  public var description: String { (path.isEmpty ? "" : path + ": ") + "\(message) (\(position))" }
}

extension Mistake: Comparable {
  /// Orders by position, then by path and message.
  public static func < (left: Self, right: Self) -> Bool {
    (left.position, left.path, left.message) < (right.position, right.path, right.message)
  }
}

/// All mistakes in a document, at least one, ordered by position.
public struct DocumentMistakes: Error, Hashable, Sendable, CustomStringConvertible {
  public let mistakes: [Mistake]

  init(_ mistakes: some Sequence<Mistake>) { self.mistakes = Set(mistakes).sorted() }

  /// The mistakes, one per line.
  public var description: String { mistakes.map(\.description).joined(separator: "\n") }
}
