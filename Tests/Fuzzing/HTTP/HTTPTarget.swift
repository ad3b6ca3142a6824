import BaizeHTTP
import BaizeWorkload

/// The request reader finds the same requests in any division of the stream into pieces.
///
/// The first two bytes decide on the pieces and on the largest body, the rest is the stream.
enum HTTPTarget {
  static func run(_ input: [UInt8]) -> Bool {
    var script = InputScript(input.prefix(2))
    let pieceBytes = 1 + script.below(64)
    let bodyBytesMax = script.pick([0, 1, 64, 4_096])
    let requests = Pieces(stream: Array(input.dropFirst(2)), bytes: pieceBytes).parts {
      Self.reader(bodyBytesMax: bodyBytesMax)
    }
    for request in requests { check(request, bodyBytesMax) }
    return !requests.isEmpty
  }

  private static func check(_ request: HTTPRequest, _ bodyBytesMax: Int) {
    hold(request.path.hasPrefix("/") && !request.method.isEmpty, "\(request.method) \(request.path)")
    hold(request.body.count <= bodyBytesMax, "a body of \(request.body.count) bytes")
    hold(!request.isCurrent || request.host != nil, "a request without a host")
    for field in request.fields {
      hold(!field.value.utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }, "a line break in \(field.name)")
    }
    let access = HTTPAccess(listening: "127.0.0.1")
    if access.refusal(of: request, isShared: true) == nil {
      let host = request.host ?? ""
      hold(["localhost", "[::1]", "127."].contains { host.hasPrefix($0) }, "'\(host)' is accepted")
    }
    if case .success(let response) = WebSocketHandshake.answer(request) {
      hold(!response.head(bodyBytes: nil, closes: false).isEmpty, "an empty response")
    }
  }

  private static func reader(bodyBytesMax: Int) -> Pieces.Reader<HTTPRequest, HTTPRefusal> {
    var reader = HTTPRequestReader(bodyBytesMax: bodyBytesMax)
    var isUncertain = false
    return { (kept, start) throws(HTTPRefusal) in
      // As the daemon: what follows an unread body is not certain.
      guard !isUncertain else { return nil }
      return try kept[start...].withUnsafeBufferPointer { (buffer) throws(HTTPRefusal) in
        try reader.next(in: UnsafeRawBufferPointer(buffer)).map { request, count in
          isUncertain = request.hasUnreadBody
          return (request, start + count)
        }
      }
    }
  }
}
