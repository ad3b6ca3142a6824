/// Another protocol than Baize's, told by the first bytes that come: a client has the wrong address, or a server the wrong client.
///
/// No frame with a message begins like these: its first byte is a length, and the second would be the tag of a field that no message
/// can have.
package enum ForeignProtocol: Hashable, Sendable {
  case http
  case tls

  private static let methods = [
    "GET ", "POST ", "HEAD ", "PUT ", "OPTIONS ", "DELETE ", "PATCH ", "CONNECT ", "PRI * ",
  ]

  /// Reads the first bytes of a client; `nil` unless they are those of a request of HTTP, or of a handshake of TLS.
  package init?(ofClient bytes: UnsafeRawBufferPointer) {
    if Self.isTLS(bytes, type: 0x16) {
      self = .tls
    } else if Self.methods.contains(where: { bytes.starts(with: $0.utf8) }) {
      self = .http
    } else {
      return nil
    }
  }

  /// Reads the first bytes of a server; `nil` unless they are those of a response of HTTP, or of a record of TLS.
  @inline(__always) package init?(ofServer bytes: UnsafeRawBufferPointer) {
    // Mostly one byte tells.
    guard let first = bytes.first, first == 0x48 || first == 0x15 || first == 0x16 else { return nil }
    if bytes.starts(with: "HTTP/".utf8) {
      self = .http
    } else if Self.isTLS(bytes, type: first) {
      self = .tls
    } else {
      return nil
    }
  }

  private static func isTLS(_ bytes: UnsafeRawBufferPointer, type: UInt8) -> Bool {
    bytes.count >= 3 && bytes[0] == type && bytes[1] == 3 && bytes[2] <= 4
  }
}
