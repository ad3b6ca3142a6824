import BaizeTable

/// A capability to resume a session: the session's id and 128 random bits.
struct ResumeToken: Sendable {
  let bytes: [UInt8]

  init(session: SessionID, random: inout RandomSource) {
    var bytes: [UInt8] = []
    for word in [session.rawValue, random.next(), random.next()] {
      for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
    }
    self.bytes = bytes
  }

  /// Creates a token from stored bytes; `nil` if they are not a token.
  init?(restoring bytes: [UInt8]) {
    guard Self.session(of: bytes) != nil else { return nil }
    self.bytes = bytes
  }

  static func session(of token: [UInt8]) -> SessionID? {
    guard token.count == 24 else { return nil }
    return SessionID(rawValue: token[..<8].reversed().reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// Compares in constant time.
  func matches(_ other: [UInt8]) -> Bool { bytes.equalsInConstantTime(other) }
}

extension [UInt8] {
  /// Compares in a time that depends only on the lengths.
  package func equalsInConstantTime(_ other: [UInt8]) -> Bool {
    guard other.count == count else { return false }
    var difference: UInt8 = 0
    for position in indices { difference |= self[position] ^ other[position] }
    return difference == 0
  }
}
