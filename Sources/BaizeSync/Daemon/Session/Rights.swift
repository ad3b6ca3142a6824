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
    guard !isOpen, let access = sharedLimits.access else { return .join }
    guard hello.resumeToken.isEmpty else {
      guard access.opened(token: hello.resumeToken, of: hello.table) != nil else { throw .unknownToken }
      return .join
    }
    if access.opened(invite: hello.invite, to: hello.table) != nil { return .join }
    guard !hello.tableType.isEmpty, creation.allows(hello) else { throw .invalidInvite }
    return .create
  }

  /// Returns a hello with its token and invite as the table has them.
  func opened(_ hello: Hello) -> Hello {
    guard let access = sharedLimits.access else { return hello }
    var hello = hello
    if let token = access.opened(token: hello.resumeToken, of: hello.table) { hello.resumeToken = token }
    if let invite = access.opened(invite: hello.invite, to: hello.table) { hello.invite = invite }
    return hello
  }
}

extension TableMachine {
  /// Returns a token as its client gets it.
  func sealed(_ token: ResumeToken) -> [UInt8] {
    room.sharedLimits.access?.sealed(token: token.bytes, of: name) ?? token.bytes
  }

  /// Returns an invite as those who pass it on get it.
  func sealed(_ invite: Invite) -> String {
    room.sharedLimits.access?.sealed(invite: invite.text, to: name) ?? invite.text
  }
}
