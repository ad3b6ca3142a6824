import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// Seals, by which a daemon recognizes what it has given out (J21).
@Suite struct AccessKeyTests {
  @Test func `what is given out is recognized, for its table, and nothing else is`() {
    var random = RandomSource(seed: 1)
    let key = AccessKey(random: random)
    let ticket: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    let (own, others) = (CredentialHash(of: [1]), CredentialHash(of: [2]))
    let invite = Invite(random: &random).text
    let sealedTicket = key.sealed(ticket: ticket, of: own, at: "t")
    let sealedInvite = key.sealed(invite: invite, to: "t")
    #expect(sealedTicket.count == 16 && sealedInvite.utf8.count == 48)
    #expect(sealedInvite.utf8.count <= WireLimits.inviteBytesMax && sealedTicket.count <= WireLimits.ticketBytesMax)
    #expect(key.accepts(ticket: sealedTicket, of: own, at: "t") && key.opened(invite: sealedInvite, to: "t") == invite)
    #expect(!key.accepts(ticket: sealedTicket, of: own, at: "u") && key.opened(invite: sealedInvite, to: "u") == nil)
    #expect(
      !key.accepts(ticket: sealedTicket, of: others, at: "t") && !key.accepts(ticket: sealedTicket, of: nil, at: "t"))
    for position in sealedTicket.indices {
      var other = sealedTicket
      other[position] ^= 1
      #expect(!key.accepts(ticket: other, of: own, at: "t"))
      #expect(!key.accepts(ticket: Array(sealedTicket[..<position]), of: own, at: "t"))
    }
    for position in sealedInvite.indices {
      var other = sealedInvite
      other.replaceSubrange(position...position, with: other[position] == "0" ? "1" : "0")
      #expect(key.opened(invite: other, to: "t") == nil)
    }
    let foreign = AccessKey(high: key.high, low: key.low ^ 1)
    #expect(
      !foreign.accepts(ticket: sealedTicket, of: own, at: "t") && foreign.opened(invite: sealedInvite, to: "t") == nil)
    let older = AccessKey(high: key.high, low: key.low, acceptsUnsealed: true)
    #expect(!older.accepts(ticket: ticket, of: own, at: "t") && older.opened(invite: invite, to: "t") == invite)
    #expect(!key.accepts(ticket: ticket, of: own, at: "t") && key.opened(invite: invite, to: "t") == nil)
  }
}
