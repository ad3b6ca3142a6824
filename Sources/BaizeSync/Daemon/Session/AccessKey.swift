public import BaizeTable

/// A daemon's secret, with which it seals the invites and tokens that it gives out, so that it recognizes them before it looks at
/// a table.
///
/// ```
/// on the wire:  invite = 32 digits, 16 digits of seal      token = 24 bytes, 8 bytes of seal
/// seal        = SipHash-2-4(key, kind, length of the table's name, name, invite or token)
/// ```
///
/// A seal says that this daemon once gave this out for this table, and no more: the table itself decides whether it is still
/// good. Tables and journals have invites and tokens without seals.
public struct AccessKey: Hashable, Sendable {
  public let high: UInt64
  public let low: UInt64
  /// Whether invites and tokens without a seal may be good: the journal has tables from before there were seals.
  public let acceptsUnsealed: Bool

  public init(high: UInt64, low: UInt64, acceptsUnsealed: Bool = false) {
    (self.high, self.low, self.acceptsUnsealed) = (high, low, acceptsUnsealed)
  }

  /// Creates a random key.
  public init(random: RandomSource) {
    var random = random
    self.init(high: random.next(), low: random.next())
  }

  static let sealBytes = 8
  private static let tokenBytes = 24
  private static let inviteBytes = 32

  private enum Kind: UInt8 {
    case token = 1
    case invite = 2
  }

  private func seal(_ kind: Kind, _ table: String, _ secret: [UInt8]) -> [UInt8] {
    let name = Array(table.utf8)
    let word = SipHash(k0: low, k1: high)([kind.rawValue, UInt8(truncatingIfNeeded: name.count)] + name + secret)
    return stride(from: 0, to: 64, by: 8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
  }

  // MARK: Giving out

  func sealed(token: [UInt8], of table: String) -> [UInt8] { token + seal(.token, table, token) }

  func sealed(invite: String, to table: String) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let seal = seal(.invite, table, Array(invite.utf8)).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return invite + String(decoding: seal, as: UTF8.self)
  }

  // MARK: Recognizing

  /// Returns a token without its seal; `nil` if this daemon did not give it out for the table.
  func opened(token: [UInt8], of table: String) -> [UInt8]? {
    if token.count == Self.tokenBytes { return acceptsUnsealed ? token : nil }
    guard token.count == Self.tokenBytes + Self.sealBytes else { return nil }
    let own = Array(token[..<Self.tokenBytes])
    return sealed(token: own, of: table).equalsInConstantTime(token) ? own : nil
  }

  /// Returns an invite without its seal; `nil` if this daemon did not give it out for the table.
  func opened(invite: String, to table: String) -> String? {
    let bytes = Array(invite.utf8)
    if bytes.count == Self.inviteBytes { return acceptsUnsealed ? invite : nil }
    guard bytes.count == Self.inviteBytes + 2 * Self.sealBytes else { return nil }
    let own = String(decoding: bytes[..<Self.inviteBytes], as: UTF8.self)
    return Array(sealed(invite: own, to: table).utf8).equalsInConstantTime(bytes) ? own : nil
  }
}
