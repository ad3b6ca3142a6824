import BaizeTable
import BaizeWire

/// A capability to join a table: 128 random bits, as text. It is never logged.
struct Invite: Sendable {
  let text: String

  init(random: inout RandomSource) {
    let digits = Array("0123456789abcdef")
    var text = ""
    for word in [random.next(), random.next()] {
      for shift in stride(from: 60, through: 0, by: -4) { text.append(digits[Int(word >> UInt64(shift) & 0xF)]) }
    }
    self.text = text
  }

  /// Creates an invite from a stored text; `nil` if it is empty.
  init?(restoring text: String) {
    guard !text.isEmpty else { return nil }
    self.text = text
  }

  /// Compares in constant time.
  func matches(_ other: String) -> Bool { Array(text.utf8).equalsInConstantTime(Array(other.utf8)) }
}

/// The invites of one table, at most one for each role. Each admits any number of sessions.
struct Invites: Sendable {
  private var byRole: [Role: Invite] = [:]

  /// Returns the highest role that an invite admits to.
  func role(of text: String) -> Role? {
    let isPlayer = self[.player]?.matches(text) ?? false
    let isSpectator = self[.spectator]?.matches(text) ?? false
    return isPlayer ? .player : isSpectator ? .spectator : nil
  }

  /// The invite for a role; `nil` if none was issued.
  subscript(role: Role) -> Invite? {
    get { byRole[role] }
    set { byRole[role] = newValue }
  }
}
