/// The parts of a complete head.
struct HTTPRequestHead {
  private let method: String
  private let target: Substring
  private let isCurrent: Bool
  private let fields: [HTTPField]
  /// The size of the body, as the head says.
  let bodyBytes: Int

  /// - Parameter lines: The lines of the head: at least one.
  init(_ bytes: UnsafeRawBufferPointer, _ lines: [Range<Int>]) throws(HTTPRefusal) {
    let words = bytes[lines[0]].split(separator: 0x20, omittingEmptySubsequences: false)
    guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy(\.isTokenByte), !words[1].isEmpty,
      words[1].allSatisfy({ 0x21...0x7E ~= $0 && $0 != 0x23 })
    else { throw HTTPRefusal(.badRequest, "the request line is not 'METHOD TARGET VERSION'") }
    method = String(decoding: words[0], as: UTF8.self)
    target = Substring(decoding: words[1], as: UTF8.self)
    isCurrent = try Self.isCurrent(String(decoding: words[2], as: UTF8.self))
    var fields: [HTTPField] = []
    for line in lines.dropFirst() { fields.append(try Self.field(UnsafeRawBufferPointer(rebasing: bytes[line]))) }
    self.fields = fields
    bodyBytes = try Self.bodyBytes(fields)
  }

  private static func isCurrent(_ version: String) throws(HTTPRefusal) -> Bool {
    switch version {
    case "HTTP/1.1": return true
    case "HTTP/1.0": return false
    case _ where version.hasPrefix("HTTP/"): throw HTTPRefusal(.versionNotSupported, "this server speaks HTTP/1.1")
    case _: throw HTTPRefusal(.badRequest, "the request line does not end with a version")
    }
  }

  private static func field(_ line: UnsafeRawBufferPointer) throws(HTTPRefusal) -> HTTPField {
    // A line that begins with a space would continue the one before it: the name is empty or has a space in it.
    guard let colon = line.firstIndex(of: 0x3A), colon > 0, line[..<colon].allSatisfy(\.isTokenByte) else {
      throw HTTPRefusal(.badRequest, "a header line is not 'NAME: VALUE'")
    }
    let value = Substring(decoding: line[(colon + 1)...], as: UTF8.self)
    return HTTPField(Substring(decoding: line[..<colon], as: UTF8.self).asciiLowercased, String(value.trimmingSpaces))
  }

  /// Returns the size of the body.
  ///
  /// - Throws: ``HTTPRefusal`` where two readers could disagree about it.
  private static func bodyBytes(_ fields: [HTTPField]) throws(HTTPRefusal) -> Int {
    let lengths = fields.filter { $0.name == "content-length" }
    let isEncoded = fields.contains { $0.name == "transfer-encoding" }
    if isEncoded, !lengths.isEmpty {
      throw HTTPRefusal(.badRequest, "both Content-Length and Transfer-Encoding are given")
    }
    if isEncoded { throw HTTPRefusal(.lengthRequired, "a body needs a Content-Length") }
    guard let length = lengths.first else { return 0 }
    guard lengths.count == 1, !length.value.isEmpty, length.value.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
      length.value.utf8.count <= 18, let count = Int(length.value)
    else { throw HTTPRefusal(.badRequest, "Content-Length is not one number") }
    return count
  }

  func request(hasUnreadBody: Bool) throws(HTTPRefusal) -> HTTPRequest {
    if fields.contains(where: { $0.name == "expect" }) {
      throw HTTPRefusal(.expectationFailed, "no expectation is met")
    }
    let hosts = fields.filter { $0.name == "host" }
    guard hosts.count <= 1, hosts.count == 1 || !isCurrent else {
      throw HTTPRefusal(.badRequest, "a request needs one Host")
    }
    var host = hosts.first.map(\.value.asciiLowercased)
    var path = target
    // A proxy may be sent the whole address; its host counts.
    if let scheme = ["http://", "https://"].first(where: { target.asciiLowercased.hasPrefix($0) }) {
      let rest = target.dropFirst(scheme.count)
      let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
      host = rest[..<end].asciiLowercased
      path = rest[end...]
      if !path.hasPrefix("/") { path = "/" + path }
    }
    guard path.hasPrefix("/") else { throw HTTPRefusal(.badRequest, "the target is not a path") }
    let end = path.firstIndex(of: "?") ?? path.endIndex
    let closes = fields.contains { field in
      field.name == "connection"
        && field.value.split(separator: ",").contains { $0.trimmingSpaces.asciiLowercased == "close" }
    }
    return HTTPRequest(
      method: method, path: String(path[..<end]), query: String(path[end...].dropFirst()), host: host, fields: fields,
      hasUnreadBody: hasUnreadBody, isPersistent: isCurrent && !closes && !hasUnreadBody, isCurrent: isCurrent)
  }
}

extension UInt8 {
  /// Whether it may be in the name of a method or a field.
  fileprivate var isTokenByte: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
    default: false
    }
  }
}

extension Substring {
  fileprivate init(decoding bytes: some Collection<UInt8>, as encoding: UTF8.Type) {
    self = String(decoding: bytes, as: encoding)[...]
  }
}
