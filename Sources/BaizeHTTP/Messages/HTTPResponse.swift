/// The head of a response.
public struct HTTPResponse: Hashable, Sendable {
  /// The status.
  public var status: HTTPStatus
  /// The header fields besides those of the connection and the length.
  public var fields: [HTTPField]

  /// Creates a response.
  public init(_ status: HTTPStatus, _ fields: [HTTPField] = []) {
    self.status = status
    self.fields = fields
  }

  /// Returns the bytes of the head.
  ///
  /// - Parameters:
  ///   - bodyBytes: The size of the body, also where it is not sent; `nil` where there is none.
  ///   - closes: Whether the connection ends with this response.
  public func head(bodyBytes: Int?, closes: Bool) -> [UInt8] {
    var text = "HTTP/1.1 \(status.rawValue) \(status.reason)\r\n"
    for field in fields { text += "\(field.name): \(field.value)\r\n" }
    if let bodyBytes { text += "Content-Length: \(bodyBytes)\r\n" }
    if closes { text += "Connection: close\r\n" }
    return Array((text + "\r\n").utf8)
  }
}
