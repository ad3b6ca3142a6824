/// A JSON value that knows where it stands.
///
/// A decoder that goes straight to Swift types would hide what a checker must tell: the place of a mistake, a key that
/// appears twice, a key that nobody asked for.
struct JSON: Sendable {
  let content: Content
  let position: TextPosition

  indirect enum Content: Sendable {
    case null
    case boolean(Bool)
    /// A whole number, however it is written (`1`, `1.0`, `1e0`).
    case integer(Int64)
    /// Any other number, as it is written.
    case number(String)
    case text(String)
    case array([JSON])
    /// In the order of the document.
    case object([Member])
  }

  struct Member: Sendable {
    let key: String
    let keyPosition: TextPosition
    let value: JSON
  }

  /// What the value is, for people.
  var kindDescription: String {
    switch content {
    case .null: "null"
    case .boolean: "a boolean"
    case .integer, .number: "a number"
    case .text: "a text"
    case .array: "a list"
    case .object: "an object"
    }
  }
}
