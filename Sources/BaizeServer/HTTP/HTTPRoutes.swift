import BaizeHTTP
import BaizeTransport

/// The answers of an HTTP service.
protocol HTTPRoutes {
  /// The largest body of a request that is read, in bytes.
  var bodyBytesMax: Int { get }

  /// Returns whether a request shows a right that strangers do not have.
  func isAuthorized(_ request: HTTPRequest) -> Bool

  /// Returns the answer to a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - peer: The address of its client.
  ///   - queuedBytes: The memory of the responses that clients have not taken yet.
  mutating func answer(_ request: HTTPRequest, from peer: SocketAddress, queuedBytes: Int) -> HTTPAnswer
}

/// An answer to a request.
enum HTTPAnswer {
  case response(HTTPResponse, HTTPBody)
  /// The connection changes to WebSocket, and leaves the service behind this response.
  case webSocket(HTTPResponse)

  /// Returns a response for people: its body is a sentence.
  static func refusal(_ refusal: HTTPRefusal, _ fields: [HTTPField] = []) -> HTTPAnswer {
    let type = HTTPField("Content-Type", "text/plain; charset=utf-8")
    return .response(HTTPResponse(refusal.status, fields + [type]), .bytes(Array((refusal.detail + "\n").utf8)))
  }
}

extension HTTPResponse {
  /// Returns the bytes of a response for people behind which the connection is closed.
  static func plain(_ status: HTTPStatus, _ sentence: String) -> [UInt8] {
    let response = HTTPResponse(
      status, HTTPSecurity.own + [HTTPField("Content-Type", "text/plain; charset=utf-8")] + HTTPSecurity.fields)
    let body = Array(sentence.utf8)
    return Array(response.head(bodyBytes: body.count, closes: true)) + body
  }
}

/// The body of a response.
enum HTTPBody {
  case none
  case bytes([UInt8])
  /// Bytes that stay where they are while the process runs, and are not copied.
  case permanent(UnsafeRawBufferPointer)

  var count: Int {
    switch self {
    case .none: 0
    case .bytes(let bytes): bytes.count
    case .permanent(let bytes): bytes.count
    }
  }
}

/// The header fields of every response: no content from other hosts, no frames, no guessed types, no referrer.
enum HTTPSecurity {
  static let fields = [
    HTTPField(
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        + "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
    HTTPField("X-Content-Type-Options", "nosniff"),
    HTTPField("Referrer-Policy", "no-referrer"),
    HTTPField("Cross-Origin-Opener-Policy", "same-origin"),
  ]
  /// The field of everything that other sites' pages may not load.
  static let own = [HTTPField("Cross-Origin-Resource-Policy", "same-origin")]
  /// The fields of what the pages of every site may load.
  static let shared = [
    HTTPField("Cross-Origin-Resource-Policy", "cross-origin"), HTTPField("Access-Control-Allow-Origin", "*"),
  ]
}
