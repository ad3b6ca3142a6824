import BaizeTable
import BaizeWire

/// A capability to join a table: 128 bits of chance, as text. It never reaches a log.
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

  /// An invite that was made before; `nil` for what is none.
  init?(restoring text: String) {
    guard !text.isEmpty else { return nil }
    self.text = text
  }

  /// Compares in a time that does not depend on where the two differ.
  func matches(_ other: String) -> Bool { Array(text.utf8).equalsInConstantTime(Array(other.utf8)) }
}

/// The invites of one table, of which each admits any number. What was never made, admits nobody.
struct Invites: Sendable {
  var player: Invite?
  var spectator: Invite?

  /// The most that an invite lets someone be.
  func role(of text: String) -> Role? {
    let isPlayer = player?.matches(text) ?? false
    let isSpectator = spectator?.matches(text) ?? false
    return isPlayer ? .player : isSpectator ? .spectator : nil
  }

  subscript(role: Role) -> Invite? {
    get {
      switch role {
      case .player: player
      case .spectator: spectator
      }
    }
    set {
      switch role {
      case .player: player = newValue
      case .spectator: spectator = newValue
      }
    }
  }
}

extension TableMachine {
  /// Turns away who has neither a token nor an invite for what it wants to be, before it learns anything of the table.
  func checkInvite(_ hello: Hello, _ circumstances: Circumstances) throws(Refused) {
    guard circumstances.asksForInvite else { return }
    if !hello.resumeToken.isEmpty {
      _ = try findSession(hello.resumeToken)
      return
    }
    let role = invites.role(of: hello.invite)
    guard role == .player || (role == .spectator && hello.role == .spectator) else {
      throw Refused(.inviteInvalid, "the table is joined by invitation, and this is none")
    }
  }

  /// Makes an invite; the one before is void.
  mutating func mintInvite(for role: Role, random: inout RandomSource) -> Invite {
    let invite = Invite(random: &random)
    invites[role] = invite
    note(.invite(role, invite.text))
    return invite
  }
}
