import BaizeTable
import BaizeWire

/// The rights that a hello shows by itself, before anything is looked up (J21).
extension ShardPolicy {
  enum Right {
    /// To join, if the table agrees.
    case join
    /// To create the table, if there is none of that name.
    case create
  }

  /// Returns the right of a hello. Who has none gets the same answer whatever tables there are.
  func right(of hello: Hello) throws(Rejection) -> Right {
    guard !isOpen, !needsToken, let access = sharedLimits.access else { return .join }
    if access.accepts(ticket: hello.ticket, of: CredentialHash(of: hello.credential), at: hello.table) { return .join }
    if access.opened(invite: hello.invite, to: hello.table) != nil { return .join }
    guard !hello.tableType.isEmpty, creation.allows(hello) else { throw .invalidInvite }
    return .create
  }

  /// Returns a hello with its invite as the table has it.
  func opened(_ hello: Hello) -> Hello {
    guard let access = sharedLimits.access else { return hello }
    var hello = hello
    if let invite = access.opened(invite: hello.invite, to: hello.table) { hello.invite = invite }
    return hello
  }
}

extension TableMachine {
  /// Returns a session's ticket as its client gets it.
  func sealedTicket(of identity: SessionIdentity) -> [UInt8] {
    let ticket = stride(from: 0, to: 64, by: 8).map { UInt8(truncatingIfNeeded: identity.ticket >> UInt64($0)) }
    return room.sharedLimits.access?.sealed(ticket: ticket, of: identity.credential, at: name) ?? ticket
  }

  /// Returns an invite as those who pass it on get it.
  func sealed(_ invite: Invite) -> String {
    room.sharedLimits.access?.sealed(invite: invite.text, to: name) ?? invite.text
  }
}
