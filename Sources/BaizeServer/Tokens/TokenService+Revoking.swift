import BaizeSync
import BaizeTable
import BaizeTokens
import Synchronization

/// What an operator revokes, which is kept in a file: it holds before anyone is answered, and after the next start.
extension TokenService {
  /// Reads the file of revocations again, or for the first time.
  func readRevocations() throws(RevocationError) -> RevocationList {
    guard let file = revocationFile else { return RevocationList() }
    return try file.read(at: clock())
  }

  /// Revokes a person's tokens, or one token, for a time that is at least that of every token that exists.
  ///
  /// The file is read again before, so that what others have written there stays.
  func revoke(_ revocation: Revocation, seconds: Int64) throws(RevocationError) {
    let end = clock() + min(max(1, seconds), ServerLimits.revocationSecondsMax)
    try change { (list) throws(RevocationError) in try list.insert(revocation, until: end) }
  }

  /// Accepts tokens again that were revoked.
  ///
  /// - Returns: Whether they were.
  func restore(_ revocation: Revocation) throws(RevocationError) -> Bool {
    var wasThere = false
    try change { (list) throws(RevocationError) in wasThere = list.remove(revocation) }
    return wasThere
  }

  private func change(_ change: (inout RevocationList) throws(RevocationError) -> Void) throws(RevocationError) {
    try changing.withLock { (_) throws(RevocationError) in
      guard let file = revocationFile else {
        throw RevocationError("the daemon has no file to keep it in (--token-revocations)")
      }
      var list = try readRevocations()
      try change(&list)
      try file.write(list)
      use(list)
    }
  }
}
