public import BaizeSync
internal import BaizeTable

// What is revoked of signed tokens (J23), which is the journal's: it holds wherever the journal is opened.
extension SQLiteJournal {
  public func revocations() throws(JournalError) -> [UInt8]? { try rows.revocations() }
}

extension TableRows {
  /// Returns the document of what is revoked; `nil` if there is none.
  ///
  /// - Throws: ``JournalError`` of kind `corrupt` if it is damaged or too large.
  func revocations() throws(JournalError) -> [UInt8]? {
    // A file that no daemon has opened since it has a place for them.
    guard try database.integer("SELECT 1 FROM sqlite_schema WHERE name = 'revocations'") != nil else { return nil }
    let size = try database.integer("SELECT length(document) FROM revocations")
    guard let size else { return nil }
    guard size <= ServerLimits.revocationBytesMax else { throw tooManyRevocations }
    let row = try database.prepare("SELECT checksum, document FROM revocations")
    defer { row.reset() }
    guard try row.next() else { return nil }
    let document = row.bytes(1)
    guard row.integer(0) == Checksum.of(document) else {
      throw damaged("what is revoked of signed tokens (DELETE FROM revocations revokes nothing any more)")
    }
    return Array(document)
  }
}

extension StoredRows {
  /// The error of a document that no daemon has written.
  var tooManyRevocations: JournalError {
    damaged("what is revoked of signed tokens, which has more than \(ServerLimits.revocationBytesMax) bytes and")
  }
}
