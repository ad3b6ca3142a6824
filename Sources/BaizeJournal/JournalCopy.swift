public import BaizeSync
internal import BaizeTable

/// Copies all tables from one journal to an empty one, of whatever engine, with their histories, with the key that seals what
/// they gave out, and with what is revoked of signed tokens.
public enum JournalCopy {
  /// Copies everything.
  ///
  /// The records of a table are numbered from the first snapshot that is kept. An interrupted copy is begun anew, with an empty
  /// journal.
  ///
  /// - Parameters:
  ///   - source: The journal to read.
  ///   - target: The journal to write, which must have no tables.
  /// - Returns: What was copied.
  /// - Throws: ``JournalError``, of kind `unusable` if the target has something.
  public static func copy(
    _ source: any StoredJournal, to target: any JournalStore
  ) throws(JournalError) -> JournalContents {
    guard try target.tableCount() == 0 else {
      throw JournalError(.unusable, "the journal to copy to has tables, and a copy replaces nothing; name an empty one")
    }
    if let key = try source.accessKey() {
      guard try target.accessKey(orNew: key) == key else {
        throw JournalError(
          .unusable,
          "the journal to copy to has a key of its own, with which no copied invite is good; name an empty one")
      }
    }
    if let document = try source.revocations() {
      guard try target.revocations().map({ $0 == document }) ?? true else {
        throw JournalError(
          .unusable, "the journal to copy to has revocations of its own, and a copy replaces nothing; name an empty one"
        )
      }
      try target.commit([.revocations(document[...])])
    }
    var contents = JournalContents()
    for name in try source.names() { try copy(name, source, target, &contents) }
    return contents
  }

  private static func copy(
    _ name: String, _ source: any StoredJournal, _ target: any JournalStore, _ contents: inout JournalContents
  ) throws(JournalError) {
    guard let history = try source.history(ofTable: name) else { return }
    var writes: [JournalWrite] = [.table(history.definition)]
    var bytes = 0
    // The number of the record that the first snapshot follows.
    var first: UInt64?
    while let step = try history.next() {
      switch step {
      case .snapshot(let parts):
        let base = first ?? parts.first?.record ?? 0
        first = base
        contents.snapshots += 1
        for var part in parts {
          part.record -= base
          bytes += part.bytes.count
          writes.append(.snapshot(part))
        }
      case .record(var record):
        record.number -= first ?? 0
        contents.records += 1
        bytes += record.bytes.count
        writes.append(.record(record))
      }
      guard bytes >= ServerLimits.commitBytesMax else { continue }
      try target.commit(writes)
      contents.bytes += bytes
      (writes, bytes) = ([], 0)
    }
    try target.commit(writes)
    contents.bytes += bytes
    contents.tables += 1
  }
}
