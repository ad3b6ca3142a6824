/// A header field.
public struct HTTPField: Hashable, Sendable {
  /// The name; of a request's fields in lowercase letters.
  public let name: String
  /// The value without the spaces around it.
  public let value: String

  /// Creates a field. A server's own are never made of what a client sent.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
