import BaizeTable

/// A capability to resume a session: the session's id and 128 random bits.
struct ResumeToken: Sendable {
  private let session: SessionID
  private let (first, second): (UInt64, UInt64)

  init(session: SessionID, random: inout RandomSource) {
    self.session = session
    (first, second) = (random.next(), random.next())
  }

  /// Creates a token from stored bytes; `nil` if they are not a token.
  init?(restoring bytes: [UInt8]) {
    guard let session = Self.session(of: bytes) else { return nil }
    self.session = session
    (first, second) = (Self.word(bytes[8..<16]), Self.word(bytes[16..<24]))
  }

  static func session(of token: [UInt8]) -> SessionID? {
    token.count == 24 ? SessionID(rawValue: word(token[..<8])) : nil
  }

  private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }

  var bytes: [UInt8] {
    [session.rawValue, first, second].flatMap { word in
      stride(from: 0, to: 64, by: 8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }
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
