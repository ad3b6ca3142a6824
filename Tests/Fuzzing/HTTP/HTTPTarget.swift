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
    let stream = Array(input.dropFirst(2))
    let whole = requests(stream, pieceBytes: .max, bodyBytesMax)
    let pieces = requests(stream, pieceBytes: pieceBytes, bodyBytesMax)
    hold(whole.requests == pieces.requests, "pieces of \(pieceBytes) bytes give other requests")
    hold(
      whole.refusal == pieces.refusal,
      "\(String(describing: whole.refusal)), in pieces \(String(describing: pieces.refusal))")
    for request in whole.requests { check(request, bodyBytesMax) }
    return !whole.requests.isEmpty
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

  /// Reads as a connection does: what is not consumed is presented again, in front of the next bytes.
  private static func requests(
    _ stream: [UInt8], pieceBytes: Int, _ bodyBytesMax: Int
  ) -> (requests: [HTTPRequest], refusal: HTTPRefusal?) {
    var reader = HTTPRequestReader(bodyBytesMax: bodyBytesMax)
    var (requests, kept): ([HTTPRequest], [UInt8]) = ([], [])
    var position = 0
    while position < stream.count {
      let end = position + min(pieceBytes, stream.count - position)
      kept += stream[position..<end]
      position = end
      do throws(HTTPRefusal) {
        while let (request, count) = try next(&reader, kept) {
          hold(count > 0 && count <= kept.count, "\(count) of \(kept.count) bytes")
          requests.append(request)
          kept.removeFirst(count)
          // As the daemon: what follows is not certain.
          if request.hasUnreadBody { return (requests, nil) }
        }
      } catch {
        return (requests, error)
      }
    }
    return (requests, nil)
  }

  private static func next(
    _ reader: inout HTTPRequestReader, _ bytes: [UInt8]
  ) throws(HTTPRefusal) -> (request: HTTPRequest, count: Int)? {
    try bytes.withUnsafeBufferPointer { (buffer) throws(HTTPRefusal) in
      try reader.next(in: UnsafeRawBufferPointer(buffer))
    }
  }
}
