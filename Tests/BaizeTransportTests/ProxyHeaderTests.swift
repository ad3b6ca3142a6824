import BaizeTransport
import Testing

/// The header of the PROXY protocol, and the addresses of those who may send it (I8).
@Suite struct ProxyHeaderTests {
  private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
  private static let v4: [UInt8] = [10, 0, 0, 7, 127, 0, 0, 1, 0x30, 0x39, 0x1E, 0x61]
  private static let v6: [UInt8] =
    [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [9] + [UInt8](repeating: 1, count: 16)
    + [0x30, 0x39, 0x1E, 0x61]

  /// A header of version 2.
  private static func binary(_ content: [UInt8]) -> [UInt8] { binary(0x21, 0x11, content) }

  private static func binary(_ command: UInt8, _ family: UInt8, _ content: [UInt8]) -> [UInt8] {
    signature + [command, family, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
  }

  private static func line(_ text: String) -> [UInt8] { Array((text + "\r\n").utf8) }

  private static let right: [(header: [UInt8], source: String?)] = [
    (line("PROXY TCP4 10.0.0.7 127.0.0.1 12345 7777"), "10.0.0.7:12345"),
    (line("PROXY TCP6 2001:db8::9 ::1 12345 7777"), "[2001:db8::9]:12345"),
    (line("PROXY TCP6 ::ffff:10.0.0.7 ::1 0 65535"), "10.0.0.7:0"),
    (line("PROXY UNKNOWN"), nil),
    (line("PROXY UNKNOWN anything at all"), nil),
    (
      line(
        "PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535"),
      "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535"
    ),
    (binary(v4), "10.0.0.7:12345"),
    (binary(0x21, 0x12, v4), "10.0.0.7:12345"),
    (binary(0x21, 0x21, v6), "[2001:db8::9]:12345"),
    (binary(v4 + [0x04, 0, 3, 1, 2, 3]), "10.0.0.7:12345"),
    (binary(v4 + [UInt8](repeating: 7, count: 4_096 - 28)), "10.0.0.7:12345"),
    (binary(0x20, 0x00, []), nil),
    (binary(0x20, 0x11, v4), nil),
    (binary(0x21, 0x00, [1, 2, 3]), nil),
    (binary(0x21, 0x31, [UInt8](repeating: 0, count: 216)), nil),
  ]

  @Test(arguments: right.indices)
  func `a header tells the client, whatever follows it, and is awaited until it is complete`(index: Int) throws {
    let (bytes, source) = Self.right[index]
    for rest in [[], [0x50], Array("PROXY ".utf8), [UInt8](repeating: 0, count: 300)] as [[UInt8]] {
      let header = try #require(try read(bytes + rest))
      #expect(header.source.map(\.description) == source && header.byteCount == bytes.count)
    }
    for count in bytes.indices { #expect(try read(Array(bytes[..<count])) == nil, "the first \(count) bytes") }
  }

  @Test(
    arguments: [
      ("GET / HTTP/1.1\r\n", .missing), ("PROXZ", .missing), ("PROXY  TCP4 1.1.1.1 2.2.2.2 1 2\r\n", .malformed),
      ("PROXY TCP4 1.1.1.1 2.2.2.2 1 2\n", .malformed), ("PROXY TCP4 1.1.1.1 2.2.2.2 1\r\n", .malformed),
      ("PROXY TCP4 1.1.1.1 2.2.2.2 1 2 \r\n", .malformed), ("PROXY TCP4 ::1 ::1 1 2\r\n", .malformed),
      ("PROXY TCP6 1.1.1.1 2.2.2.2 1 2\r\n", .malformed), ("PROXY TCP4 1.1.1 2.2.2.2 1 2\r\n", .malformed),
      ("PROXY TCP4 localhost 2.2.2.2 1 2\r\n", .malformed), ("PROXY TCP4 1.1.1.1 2.2.2.2 +1 2\r\n", .malformed),
      ("PROXY TCP4 1.1.1.1 2.2.2.2 65536 2\r\n", .malformed), ("PROXY TCP4 1.1.1.1 2.2.2.2  2\r\n", .malformed),
      ("PROXY UDP4 1.1.1.1 2.2.2.2 1 2\r\n", .malformed), ("PROXY \r\n", .malformed),
      ("PROXY UNKNOWN \(String(repeating: "x", count: 93))", .tooLong),
      ("PROXY UNKNOWN \(String(repeating: "x", count: 92))\r\n", .tooLong),
    ] as [(String, ProxyHeaderError)])
  func `what is no header of version 1 is refused`(text: String, error: ProxyHeaderError) {
    #expect(throws: error) { try read(Array(text.utf8)) }
  }

  private static let wrong: [([UInt8], ProxyHeaderError)] = [
    ([0x0D, 0x0A, 0x0D, 0x0B], .missing), (binary(0x11, 0x11, v4), .malformed), (binary(0x22, 0x11, v4), .malformed),
    (binary(0x21, 0x41, v4), .malformed), (binary(Array(v4.dropLast())), .malformed),
    (binary(0x21, 0x21, Array(v6.dropLast())), .malformed), (binary(0x21, 0x11, []), .malformed),
    // Refused before its bytes arrive.
    (signature + [0x21, 0x11, 0x0F, 0xF1], .tooLong), (signature + [0x20, 0x00, 0xFF, 0xFF], .tooLong),
  ]

  @Test(arguments: wrong.indices)
  func `what is no header of version 2 is refused`(index: Int) {
    let (bytes, error) = Self.wrong[index]
    #expect(throws: error) { try read(bytes) }
  }

  @Test(arguments: [
    ("10.1.0.0/16", "10.1.255.9", true), ("10.1.0.0/16", "10.2.0.0", false), ("10.1.0.0/16", "::1", false),
    ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false), ("0.0.0.0/0", "255.1.2.3", true),
    ("10.0.0.7/31", "10.0.0.6", true), ("10.0.0.7/32", "10.0.0.6", false), ("::1", "::1", true), ("::1", "::2", false),
    ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::", false), ("::/0", "2001::1", true),
    ("2001:db8::8000:0:0:0/65", "2001:db8::8000:0:0:1", true), ("2001:db8::8000:0:0:0/65", "2001:db8::1", false),
    ("::ffff:10.1.0.0/112", "10.1.3.4", true), ("::ffff:10.1.0.0/112", "10.2.3.4", false),
  ])
  func `an address is in a range by its first bits`(text: String, address: String, isContained: Bool) throws {
    let range = try #require(AddressRange(parsing: text))
    let bracketed = address.contains(":") ? "[\(address)]:1" : "\(address):1"
    #expect(range.contains(try SocketAddress(parsing: bracketed).host) == isContained)
  }

  @Test func `a range is written as it is read`() throws {
    for text in ["127.0.0.1", "10.1.0.0/16", "::1", "2001:db8::/32", "0.0.0.0/0"] {
      #expect(AddressRange(parsing: text)?.description == text)
    }
    for text in [
      "", "/", "localhost", "10.0.0.1/", "10.0.0.1/33", "10.0.0.1/-1", "10.0.0.1/+8", "10.0.0.1/8/8", "10.0.0/8",
      "[::1]", "::1/129",
      "::ffff:10.0.0.1/95", "10.0.0.1 ",
    ] { #expect(AddressRange(parsing: text) == nil, "\(text)") }
  }

  private func read(_ bytes: [UInt8]) throws -> ProxyHeader? {
    try bytes.withUnsafeBytes { try ProxyHeader.read($0) }
  }
}
