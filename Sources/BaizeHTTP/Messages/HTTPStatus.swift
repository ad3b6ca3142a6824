/// The status of a response.
public enum HTTPStatus: Int, Hashable, Sendable, CaseIterable {
  case switchingProtocols = 101
  case ok = 200
  case noContent = 204
  case notModified = 304
  case badRequest = 400
  case unauthorized = 401
  case forbidden = 403
  case notFound = 404
  case methodNotAllowed = 405
  case requestTimeout = 408
  case conflict = 409
  case lengthRequired = 411
  case contentTooLarge = 413
  case uriTooLong = 414
  case expectationFailed = 417
  case misdirectedRequest = 421
  case upgradeRequired = 426
  case tooManyRequests = 429
  case headerFieldsTooLarge = 431
  case internalServerError = 500
  case serviceUnavailable = 503
  case versionNotSupported = 505

  /// The words behind the number.
  public var reason: String {
    switch self {
    case .switchingProtocols: "Switching Protocols"
    case .ok: "OK"
    case .noContent: "No Content"
    case .notModified: "Not Modified"
    case .badRequest: "Bad Request"
    case .unauthorized: "Unauthorized"
    case .forbidden: "Forbidden"
    case .notFound: "Not Found"
    case .methodNotAllowed: "Method Not Allowed"
    case .requestTimeout: "Request Timeout"
    case .conflict: "Conflict"
    case .lengthRequired: "Length Required"
    case .contentTooLarge: "Content Too Large"
    case .uriTooLong: "URI Too Long"
    case .expectationFailed: "Expectation Failed"
    case .misdirectedRequest: "Misdirected Request"
    case .upgradeRequired: "Upgrade Required"
    case .tooManyRequests: "Too Many Requests"
    case .headerFieldsTooLarge: "Request Header Fields Too Large"
    case .internalServerError: "Internal Server Error"
    case .serviceUnavailable: "Service Unavailable"
    case .versionNotSupported: "HTTP Version Not Supported"
    }
  }

  /// Whether a response with this status has a body.
  public var hasBody: Bool {
    switch self {
    case .switchingProtocols, .noContent, .notModified: false
    case .ok, .badRequest, .unauthorized, .forbidden, .notFound, .methodNotAllowed, .requestTimeout, .conflict,
      .lengthRequired, .contentTooLarge, .uriTooLong, .expectationFailed, .misdirectedRequest, .upgradeRequired,
      .tooManyRequests, .headerFieldsTooLarge, .internalServerError, .serviceUnavailable, .versionNotSupported:
      true
    }
  }
}
