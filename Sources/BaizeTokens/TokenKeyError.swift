/// The reason why a file of keys cannot be used: a sentence without a capital letter or a full stop. It has nothing of a key.
public struct TokenKeyError: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }

  /// The failure of everything that needs OpenSSL in a program that was built without it.
  static let unavailable = TokenKeyError(
    "this build has no signed tokens, since it was built without the trait OpenSSL (swift build -c release --traits OpenSSL)"
  )
}
