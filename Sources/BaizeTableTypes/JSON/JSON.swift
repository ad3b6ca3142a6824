/// A JSON value with its position.
///
/// A decoder to Swift types would lose what a checker reports: positions, duplicate keys and unknown keys.
package struct JSON: Sendable {
  package let content: Content
  package let position: TextPosition

  package indirect enum Content: Sendable {
    case null
    case boolean(Bool)
    /// A whole number in any notation (`1`, `1.0`, `1e0`).
    case integer(Int64)
    /// Any other number, as written.
    case number(String)
    case text(String)
    case array([JSON])
    /// In the order of the document.
    case object([Member])
  }

  package struct Member: Sendable {
    package let key: String
    package let keyPosition: TextPosition
    package let value: JSON
  }

  /// The kind of value, for messages.
  package var kindDescription: String {
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
