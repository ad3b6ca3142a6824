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

  /// Tells the machine the time by which tokens end.
  func keepTokenTime() {
    if let tokens = endpoint.tokens { machine.unixTime = tokens.clock() }
  }

  func receive(_ finding: TokenService.Finding, of id: ConnectionID) {
    switch finding {
    case .granted(let rights, let until): machine.verified(id, .granted(rights, until: until))
    case .expired: machine.verified(id, .expired)
    case .refused: machine.verified(id, .refused)
    case .postponed: machine.verified(id, .postponed)
    }
    keepTokenTime()
    schedule.hasEvents = true
  }
}
