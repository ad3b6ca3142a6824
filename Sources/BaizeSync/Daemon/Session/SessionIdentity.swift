import BaizeTable
import BaizeWire

/// Whose a session is, and which of that person's: what a client presents to take it up again.
struct SessionIdentity: Hashable, Sendable {
  /// The person, by the number of that one's first session.
  let person: SessionID
  /// `nil` for a person who never comes back.
  let credential: CredentialHash?
  /// The client's name for the session.
  let name: [UInt8]
  /// A random number by which a client knows the session from every other one, of an earlier table of that name too.
  let ticket: UInt64

  /// Returns whether a hello of the same person is for this session.
  func isNamed(by hello: Hello) -> Bool { name == hello.sessionName }
}

/// The SHA-256 of a person's credential. Whoever reads a journal cannot join by it.
struct CredentialHash: Hashable, Sendable, Comparable {
  private let words: (UInt64, UInt64, UInt64, UInt64)

  /// - Returns: `nil` for an empty credential.
  init?(of credential: [UInt8]) {
    guard !credential.isEmpty else { return nil }
    self.init(restoring: SHA256.digest(credential))
  }

  /// Creates a hash from its stored bytes; `nil` if they are none.
  init?(restoring bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    func word(_ index: Int) -> UInt64 { bytes[8 * index..<8 * index + 8].reduce(0) { $0 << 8 | UInt64($1) } }
    words = (word(0), word(1), word(2), word(3))
  }

  var bytes: [UInt8] {
    [words.0, words.1, words.2, words.3].flatMap { word in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }
  }

  static func == (left: Self, right: Self) -> Bool { left.words == right.words }
  static func < (left: Self, right: Self) -> Bool { left.words < right.words }

  func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
