import BaizeSync
import BaizeTransport

/// Has signed tokens verified, outside of the shard's turns.
extension Shard {
  func verify(_ verifications: [TokenVerification]) {
    for verification in verifications {
      let id = verification.connection
      let peer = connections[Int(id.slot)].peer
      endpoint.tokens?.verify(
        Array(verification.token.utf8), of: peer, isShared: sharedAddresses.contains { $0.contains(peer.host) }
      ) {
        [mailbox = endpoint.mailbox] finding in mailbox.send(.verified(id, finding))
      }
    }
  }

  func receive(_ finding: TokenService.Finding, of id: ConnectionID) {
    switch finding {
    case .granted(let rights, let secondsLeft):
      machine.verified(id, .granted(rights, until: now.advanced(byMilliseconds: UInt64(max(0, secondsLeft)) * 1_000)))
    case .expired: machine.verified(id, .expired)
    case .refused: machine.verified(id, .refused)
    case .postponed: machine.verified(id, .postponed)
    }
    schedule.hasEvents = true
  }
}
