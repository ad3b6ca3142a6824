import BaizeWire

/// The right to create tables on a daemon. Joining a table that exists is another matter (``Invite``).
public enum CreationRight: Sendable {
  /// Everyone who can connect.
  case anyone
  /// Everyone who presents this token in the hello, instead of an invite.
  case token(String)
  /// No one: only tables that exist can be joined.
  case nobody

  /// Returns whether a hello may create a table.
  func allows(_ hello: Hello) -> Bool {
    switch self {
    case .anyone: true
    // In constant time.
    case .token(let token): Array(token.utf8).equalsInConstantTime(Array(hello.invite.utf8))
    case .nobody: false
    }
  }

  /// - Throws: ``Rejection`` if the hello may not create a table.
  func check(_ hello: Hello) throws(Rejection) {
    guard allows(hello) else {
      throw Rejection(.createNotAllowed, "there is no such table, and this client may not create one (see --create)")
    }
  }
}
