import BaizeTable

/// Finds requests in a stream of bytes, strictly: what another program on the way might read in two ways is refused.
///
/// It is a machine for one connection. The owner presents the bytes that it has not consumed, again and with more behind
/// them; no byte is looked at twice until a head is complete.
public struct HTTPRequestReader: Hashable, Sendable {
  /// The largest body that is read, in bytes.
  private let bodyBytesMax: Int
  /// The number of bytes that were looked at.
  private var scanned = 0
  private var lineStart = 0
  /// The complete lines of the head so far, without their ends.
  private var lines: [Range<Int>] = []
  /// A request whose body is not complete, and where that ends.
  private var incomplete: Incomplete?

  private struct Incomplete: Hashable, Sendable {
    let request: HTTPRequest
    let end: Int
  }

  /// Creates a reader of requests whose bodies have at most so many bytes.
  public init(bodyBytesMax: Int = 0) { self.bodyBytesMax = bodyBytesMax }

  /// Whether it has seen a part of a request.
  public var hasBegun: Bool { scanned > 0 }

  /// Returns the request at the front of the bytes, and the number of bytes that it takes; `nil` while it is incomplete.
  ///
  /// - Parameter bytes: The bytes that were presented before and not consumed, and those behind them.
  public mutating func next(
    in bytes: UnsafeRawBufferPointer
  ) throws(HTTPRefusal) -> (request: HTTPRequest, count: Int)? {
    if incomplete == nil {
      guard try scanHead(bytes) else { return nil }
      let head = try HTTPRequestHead(bytes, lines)
      let end = scanned + (head.bodyBytes <= bodyBytesMax ? head.bodyBytes : 0)
      incomplete = Incomplete(request: try head.request(hasUnreadBody: head.bodyBytes > bodyBytesMax), end: end)
    }
    guard let incomplete, bytes.count >= incomplete.end else { return nil }
    var request = incomplete.request
    request.body = Array(bytes[scanned..<incomplete.end])
    self = HTTPRequestReader(bodyBytesMax: bodyBytesMax)
    return (request, incomplete.end)
  }

  /// Divides the head into lines.
  ///
  /// - Returns: Whether it is complete.
  private mutating func scanHead(_ bytes: UnsafeRawBufferPointer) throws(HTTPRefusal) -> Bool {
    while scanned < bytes.count {
      try checkLimits()
      switch bytes[scanned] {
      case 0x0D:
        guard scanned + 1 < bytes.count else { return false }
        guard bytes[scanned + 1] == 0x0A else { throw HTTPRefusal(.badRequest, "a carriage return within a line") }
        let line = lineStart..<scanned
        scanned += 2
        lineStart = scanned
        if line.isEmpty {
          guard !lines.isEmpty else { throw HTTPRefusal(.badRequest, "an empty line before the request") }
          return true
        }
        lines.append(line)
      case 0x0A: throw HTTPRefusal(.badRequest, "a line feed without a carriage return")
      case 0x09, 0x20...0x7E, 0x80...0xFF: scanned += 1
      default: throw HTTPRefusal(.badRequest, "a control character")
      }
    }
    try checkLimits()
    return false
  }

  private func checkLimits() throws(HTTPRefusal) {
    if lines.isEmpty, scanned > HTTPLimits.requestLineBytesMax {
      throw HTTPRefusal(.uriTooLong, "the request line is too long")
    }
    if scanned > HTTPLimits.headBytesMax { throw HTTPRefusal(.headerFieldsTooLarge, "the header is too long") }
    if lines.count > HTTPLimits.fieldsMax + 1 { throw HTTPRefusal(.headerFieldsTooLarge, "too many header fields") }
  }
}
