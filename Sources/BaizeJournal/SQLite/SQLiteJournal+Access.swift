public import BaizeSync

// The key that seals invites and tokens (J21) is the journal's: they are good for as long as the tables are, wherever the file
// is moved.
extension SQLiteJournal {
  public func accessKey(orNew new: AccessKey) throws(JournalError) -> AccessKey {
    if let stored = try rows.accessKey() { return stored }
    // Tables from before there were seals have given out invites and tokens without them.
    let hasTables = try tableCount() > 0
    let key = AccessKey(high: new.high, low: new.low, acceptsUnsealed: new.acceptsUnsealed || hasTables)
    let (high, low) = (Int64(bitPattern: key.high), Int64(bitPattern: key.low))
    let unsealed: Int64 = key.acceptsUnsealed ? 1 : 0
    let insert = try database.prepare("INSERT INTO access VALUES (1, ?, ?, ?, ?)")
    try insert.set(high, low, unsealed, Checksum.of([], high, low, unsealed)).run()
    return key
  }
}

extension TableRows {
  /// Returns the journal's key; `nil` if it has none yet.
  ///
  /// - Throws: ``JournalError`` of kind `corrupt` if it is damaged.
  func accessKey() throws(JournalError) -> AccessKey? {
    let row = try database.prepare("SELECT high, low, unsealed, checksum FROM access")
    defer { row.reset() }
    guard try row.next() else { return nil }
    let (high, low, unsealed) = (row.integer(0), row.integer(1), row.integer(2))
    guard row.integer(3) == Checksum.of([], high, low, unsealed) else {
      throw damaged(
        "the key of its invites, without which they are worth nothing (DELETE FROM access makes a new one),")
    }
    return AccessKey(high: UInt64(bitPattern: high), low: UInt64(bitPattern: low), acceptsUnsealed: unsealed != 0)
  }
}
