public import BaizeTable

/// A daemon's secret, with which it seals the invites and tickets that it gives out, so that it recognizes them before it looks at
/// a table.
///
/// ```
/// on the wire:  invite = 32 digits, 16 digits of seal      ticket = 8 bytes, 8 bytes of seal
/// seal        = SipHash-2-4(key, kind, length of the table's name, name, invite, or ticket and SHA-256 of the credential)
/// ```
///
/// A seal says that this daemon once gave this out for this table, and no more: the table itself decides whether it is still
/// good. Tables and journals have invites and tickets without seals.
public struct AccessKey: Hashable, Sendable {
  public let high: UInt64
  public let low: UInt64
  /// Whether invites without a seal may be good: the journal has tables from before there were seals.
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
  private static let inviteBytes = 32

  private enum Kind: UInt8 {
    case ticket = 1
    case invite = 2
  }

  private func seal(_ kind: Kind, _ table: String, _ secret: [UInt8]) -> [UInt8] {
    let name = Array(table.utf8)
    let word = SipHash(k0: low, k1: high)([kind.rawValue, UInt8(truncatingIfNeeded: name.count)] + name + secret)
    return stride(from: 0, to: 64, by: 8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
  }

  // MARK: Giving out

  /// Returns a session's ticket for its client. It is good with the person's credential only.
  func sealed(ticket: [UInt8], of credential: CredentialHash?, at table: String) -> [UInt8] {
    ticket + seal(.ticket, table, ticket + (credential?.bytes ?? []))
  }

  func sealed(invite: String, to table: String) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let seal = seal(.invite, table, Array(invite.utf8)).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return invite + String(decoding: seal, as: UTF8.self)
  }

  // MARK: Recognizing

  /// Returns whether this daemon gave out a ticket for the table, to the person with the credential.
  func accepts(ticket: [UInt8], of credential: CredentialHash?, at table: String) -> Bool {
    guard credential != nil, ticket.count > Self.sealBytes else { return false }
    return sealed(ticket: Array(ticket.dropLast(Self.sealBytes)), of: credential, at: table).equalsInConstantTime(
      ticket)
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
