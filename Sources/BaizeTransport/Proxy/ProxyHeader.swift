/// The header that a proxy puts in front of a connection's bytes to tell whose connection it passes on: the PROXY protocol of
/// HAProxy, version 1 (a line of text) or 2.
///
/// ```
/// 1  PROXY TCP4|TCP6|UNKNOWN source destination source-port destination-port ␍␊
/// 2  | signature, 12 bytes | version and command | family and transport | length, 2 bytes | addresses, then other fields
/// ```
package struct ProxyHeader: Hashable, Sendable {
  /// The address of the client; `nil` if the connection is the proxy's own, or the proxy does not know it.
  package let source: SocketAddress?
  /// The number of bytes that the header takes.
  package let byteCount: Int

  private init(source: SocketAddress?, byteCount: Int) {
    self.source = source
    self.byteCount = byteCount
  }

  /// Reads the header at the front of a connection's bytes.
  ///
  /// - Returns: `nil` while it is incomplete.
  /// - Throws: ``ProxyHeaderError`` as soon as the first bytes show that there is none, or that it is wrong.
  package static func read(_ bytes: UnsafeRawBufferPointer) throws(ProxyHeaderError) -> ProxyHeader? {
    guard let first = bytes.first else { return nil }
    return first == signature[0] ? try readBinary(bytes) : try readLine(bytes)
  }

  /// Returns whether a header's first bytes, which nothing else begins with, are those of a connection.
  package static func isFirst(of bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.starts(with: word) || bytes.starts(with: signature)
  }

  /// Returns whether the bytes agree with a header's first bytes, as far as both go.
  private static func begins(_ bytes: UnsafeRawBufferPointer, _ expected: [UInt8]) -> Bool {
    zip(bytes, expected).allSatisfy { $0 == $1 }
  }

  // MARK: Version 1

  private static let word = Array("PROXY ".utf8)

  private static func readLine(_ bytes: UnsafeRawBufferPointer) throws(ProxyHeaderError) -> ProxyHeader? {
    guard begins(bytes, word) else { throw .missing }
    let line = bytes.prefix(TransportLimits.proxyLineBytesMax)
    guard let end = line.firstIndex(of: 0x0A) else {
      guard line.count < TransportLimits.proxyLineBytesMax else { throw .tooLong }
      return nil
    }
    guard end > 0, bytes[end - 1] == 0x0D else { throw .malformed }
    let text = String(decoding: bytes[..<(end - 1)], as: UTF8.self)
    return ProxyHeader(source: try source(ofLine: text), byteCount: end + 1)
  }

  private static func source(ofLine line: String) throws(ProxyHeaderError) -> SocketAddress? {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    if words.count >= 2, words[1] == "UNKNOWN" { return nil }
    guard words.count == 6, words[1] == "TCP4" || words[1] == "TCP6" else { throw .malformed }
    let isWide = words[1] == "TCP6"
    guard let source = SocketAddress.Host(numeric: String(words[2]), isWide: isWide),
      SocketAddress.Host(numeric: String(words[3]), isWide: isWide) != nil,
      let port = number(words[4]), number(words[5]) != nil
    else { throw .malformed }
    return SocketAddress(host: source, port: port)
  }

  private static func number(_ text: Substring) -> UInt16? {
    text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? UInt16(text) : nil
  }

  // MARK: Version 2

  private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
  private static let fixedBytes = 16

  private static func readBinary(_ bytes: UnsafeRawBufferPointer) throws(ProxyHeaderError) -> ProxyHeader? {
    guard begins(bytes, signature) else { throw .missing }
    guard bytes.count >= fixedBytes else { return nil }
    guard bytes[12] >> 4 == 2 else { throw .malformed }
    let length = Int(bytes[14]) << 8 | Int(bytes[15])
    let end = fixedBytes + length
    guard end <= TransportLimits.proxyHeaderBytesMax else { throw .tooLong }
    guard bytes.count >= end else { return nil }
    let content = UnsafeRawBufferPointer(rebasing: bytes[fixedBytes..<end])
    switch bytes[12] & 0x0F {
    case 0: return ProxyHeader(source: nil, byteCount: end)
    case 1: return ProxyHeader(source: try source(ofFamily: bytes[13] >> 4, content), byteCount: end)
    case _: throw .malformed
    }
  }

  /// Reads the addresses. Other fields behind them are skipped, and so are addresses of other families.
  private static func source(
    ofFamily family: UInt8, _ content: UnsafeRawBufferPointer
  ) throws(ProxyHeaderError) -> SocketAddress? {
    switch family {
    case 1:
      guard content.count >= 12 else { throw .malformed }
      return SocketAddress(host: .v4(content.bigEndian(at: 0)), port: content.bigEndian(at: 8))
    case 2:
      guard content.count >= 36 else { throw .malformed }
      return SocketAddress(
        host: SocketAddress.Host(high: content.bigEndian(at: 0), low: content.bigEndian(at: 8)),
        port: content.bigEndian(at: 32))
    case 0, 3: return nil
    case _: throw .malformed
    }
  }
}

/// The reason why a proxy's connection cannot be accepted.
package enum ProxyHeaderError: String, Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
  case missing = "the header of the PROXY protocol is missing (see --proxy-protocol)"
  case malformed = "the header of the PROXY protocol is malformed"
  case tooLong = "the header of the PROXY protocol is too long"

  package var description: String { rawValue }
}

extension UnsafeRawBufferPointer {
  fileprivate func bigEndian<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Number {
    Number(bigEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
  }
}
