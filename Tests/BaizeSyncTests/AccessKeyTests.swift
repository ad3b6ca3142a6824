import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// Seals, by which a daemon recognizes what it has given out (J21).
@Suite struct AccessKeyTests {
  @Test func `what is given out is recognized, for its table, and nothing else is`() {
    var random = RandomSource(seed: 1)
    let key = AccessKey(random: random)
    let token = ResumeToken(session: SessionID(rawValue: 7), random: &random).bytes
    let invite = Invite(random: &random).text
    let (sealedToken, sealedInvite) = (key.sealed(token: token, of: "t"), key.sealed(invite: invite, to: "t"))
    #expect(sealedToken.count == 32 && sealedInvite.utf8.count == 48)
    #expect(sealedInvite.utf8.count <= WireLimits.inviteBytesMax && sealedToken.count <= WireLimits.resumeTokenBytesMax)
    #expect(key.opened(token: sealedToken, of: "t") == token && key.opened(invite: sealedInvite, to: "t") == invite)
    #expect(key.opened(token: sealedToken, of: "u") == nil && key.opened(invite: sealedInvite, to: "u") == nil)
    for position in sealedToken.indices {
      var other = sealedToken
      other[position] ^= 1
      #expect(key.opened(token: other, of: "t") == nil)
      #expect(key.opened(token: Array(sealedToken[..<position]), of: "t") == nil)
    }
    for position in sealedInvite.indices {
      var other = sealedInvite
      other.replaceSubrange(position...position, with: other[position] == "0" ? "1" : "0")
      #expect(key.opened(invite: other, to: "t") == nil)
    }
    let foreign = AccessKey(high: key.high, low: key.low ^ 1)
    #expect(foreign.opened(token: sealedToken, of: "t") == nil && foreign.opened(invite: sealedInvite, to: "t") == nil)
    let older = AccessKey(high: key.high, low: key.low, acceptsUnsealed: true)
    #expect(older.opened(token: token, of: "t") == token && older.opened(invite: invite, to: "t") == invite)
    #expect(key.opened(token: token, of: "t") == nil && key.opened(invite: invite, to: "t") == nil)
  }
}
