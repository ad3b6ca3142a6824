/// What is counted of tokens.
struct TokenFigures: Sendable {
  private(set) var counts = Counts()
  /// Those that wait to be verified.
  var waiting = 0
  /// Those that are remembered.
  var remembered = 0
  /// What is revoked.
  var revocations = 0

  struct Counts: Sendable {
    var verified = 0
    var remembered = 0
    var expired = 0
    var refused = 0
    var postponed = 0
  }

  mutating func count(_ outcome: WritableKeyPath<Counts, Int>) { counts[keyPath: outcome] += 1 }
}
