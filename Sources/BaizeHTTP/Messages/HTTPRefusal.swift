/// The reason why a request is refused before anyone looks at what it asks for. The connection ends: where the next request
/// would begin is not certain.
public struct HTTPRefusal: Error, Hashable, Sendable {
  /// The status of the response.
  public let status: HTTPStatus
  /// A sentence for people.
  public let detail: String

  /// Creates a refusal.
  public init(_ status: HTTPStatus, _ detail: String) {
    self.status = status
    self.detail = detail
  }
}
