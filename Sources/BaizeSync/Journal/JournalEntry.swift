public import BaizeTable
public import BaizeWire

/// One entry of a table's record.
///
/// ```
/// record = entry …        entry = length, varint | JournalEntry, a Protocol Buffers message:
///   3 Diff       as its author receives it, but with every face: a hidden item carries its face, too
///   4 Outcome    7 session    of an operation that has no diff
///   5 Session    a session that may be resumed   (1 id, 2 name, 5 watches only, 6 account that is charged for
///                it, 7 the client's name for it, 8 ticket, 9 person, 10 SHA-256 of the credential; 3 and 4 were tokens)
///   6 forgotten  a session's id
///   8 opened     an epoch
///   9 Invite     an invite for a role            (1 role, 2 text)
///  10 Migration  the table continues with another document of its type; its diff follows
///                (1 type as named, 2 document, 3 options, 4 and 5 key of ids in private collections, if it is new)
///  11 charges    who is charged for what of the contents: 1 Charge … (1 account, 2 bytes)
/// ```
///
/// An accepted operation's outcome is its diff. A diff that hides nothing has the same bytes as the `ServerMessage` that its
/// author receives, so that it is encoded once.
public enum JournalEntry: Hashable, Sendable {
  /// A diff, with every face.
  case diff(Diff)
  /// The outcome of a session's operation that has no diff, in case the session sends the operation again.
  case outcome(SessionID, Outcome)
  /// A session was created or changed.
  case session(StoredSession)
  /// A session was forgotten: it cannot be resumed any more.
  case forgotten(SessionID)
  /// The table was loaded, and continues under this epoch.
  case opened(Epoch)
  /// An invite for a role. Its text is a secret. The role's previous invite is void.
  case invite(Role, String)
  /// The table continues with another document of its type. The diff that completes this follows.
  case migrated(StoredMigration)
  /// What each account is charged for of the table's contents, in place of what was recorded before.
  case charged([StoredCharge])
}

/// A session that may be taken up again, and by whom.
public struct StoredSession: Hashable, Sendable {
  public var id: SessionID
  /// The participant's name.
  public var name: String
  /// The person, by the number of that one's first session.
  public var person: SessionID
  /// The SHA-256 of the person's credential; empty for one who never comes back.
  public var credential: [UInt8]
  /// The client's name for the session.
  public var sessionName: [UInt8]
  /// The session's ticket without its seal; a secret.
  public var ticket: UInt64
  /// Whether the person takes no seat by joining.
  public var isSpectatorOnly = false
  /// The account that is charged for its memory: that of its last connection.
  public var account = AccountKey.common
}

extension JournalEntry {
  /// Returns the entries of a record, in order.
  ///
  /// - Throws: ``JournalError`` of kind `corrupt` if the bytes are malformed.
  public static func entries(of bytes: ArraySlice<UInt8>) throws(JournalError) -> [JournalEntry] {
    var entries: [JournalEntry] = []
    try forEach(in: bytes) { entries.append($0) }
    return entries
  }

  /// Calls `body` with the entries of a record, in order, as long as `wantsMore` returns true for the number of bytes
  /// that were read before.
  ///
  /// - Returns: The number of bytes that were read.
  @discardableResult
  static func forEach(
    in bytes: ArraySlice<UInt8>, while wantsMore: (Int) -> Bool = { _ in true }, _ body: (JournalEntry) -> Void
  ) throws(JournalError) -> Int {
    do throws(DecodeError) {
      return try bytes.withUnsafeBufferPointer { (elements) throws(DecodeError) in
        let buffer = UnsafeRawBufferPointer(elements)
        let reader = FrameReader(frameBytesMax: .max)
        var position = 0
        while position < buffer.count, wantsMore(position) {
          guard let range = try reader.next(in: buffer, from: position) else { throw .truncated }
          if let entry = try JournalEntry(ByteReader(UnsafeRawBufferPointer(rebasing: buffer[range]))) { body(entry) }
          position = range.upperBound
        }
        return position
      }
    } catch {
      throw JournalError(.corrupt, "a record cannot be read: \(error)")
    }
  }

  /// Divides a record that leads to `last` into parts of at most `bytesMax`, or of one entry.
  ///
  /// - Returns: The parts, each with the revision that it leads to.
  static func divided(
    _ bytes: ArraySlice<UInt8>, bytesMax: Int, leadingTo last: Revision
  ) throws(JournalError) -> [(bytes: ArraySlice<UInt8>, revision: Revision)] {
    // Each entry's end, and the revision of each diff.
    var ends: [(end: Int, revision: Revision?)] = []
    var rest = bytes
    while !rest.isEmpty {
      var revision: Revision?
      var isFirst = true
      let count = try forEach(in: rest, while: { _ in exchange(&isFirst, with: false) }) { entry in
        if case .diff(let diff) = entry { revision = diff.revision }
      }
      rest = rest.dropFirst(count)
      ends.append((rest.startIndex, revision))
    }
    let first = ends.lazy.compactMap(\.revision).first
    var revision = first.map { Revision(rawValue: $0.rawValue - 1) } ?? last
    var parts: [(bytes: ArraySlice<UInt8>, revision: Revision)] = []
    var (start, end) = (bytes.startIndex, bytes.startIndex)
    for entry in ends {
      if entry.end - start > bytesMax, end > start {
        parts.append((bytes[start..<end], revision))
        start = end
      }
      end = entry.end
      revision = entry.revision ?? revision
    }
    parts.append((bytes[start..<end], revision))
    return parts
  }

  /// Decodes an entry; `nil` for a kind that this version does not know.
  private init?(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    var entry: JournalEntry?
    var session = SessionID.daemon
    while let field = try reader.nextField() {
      switch field.number {
      case 3: entry = .diff(try Diff(reader.message(field), from: .journal))
      case 4: entry = .outcome(.daemon, try Outcome(reader.message(field)))
      case 5: entry = .session(try StoredSession(reader.message(field)))
      case 6: entry = .forgotten(SessionID(rawValue: try reader.uint64(field)))
      case 7: session = SessionID(rawValue: try reader.uint64(field))
      case 8: entry = .opened(Epoch(rawValue: try reader.uint64(field)))
      case 9: entry = try Self.invite(reader.message(field))
      case 10: entry = .migrated(try StoredMigration(reader.message(field)))
      case 11: entry = try Self.charges(reader.message(field))
      default: try reader.skip(field)
      }
    }
    if case .outcome(_, let outcome)? = entry { entry = .outcome(session, outcome) }
    guard let entry else { return nil }
    self = entry
  }

  private static func invite(_ bytes: ByteReader) throws(DecodeError) -> JournalEntry {
    var reader = bytes
    var (role, text) = (Role.player, "")
    while let field = try reader.nextField() {
      switch field.number {
      case 1: role = try reader.enumeration(field)
      case 2: text = try reader.string(field)
      default: try reader.skip(field)
      }
    }
    return .invite(role, text)
  }

  private static func charges(_ bytes: ByteReader) throws(DecodeError) -> JournalEntry {
    var reader = bytes
    var charges: [StoredCharge] = []
    while let field = try reader.nextField() {
      if field.number == 1 { charges.append(try StoredCharge(reader.message(field))) } else { try reader.skip(field) }
    }
    return .charged(charges)
  }

  /// Appends the entry, preceded by its length, to the open record.
  ///
  /// - Returns: Its size in bytes.
  @discardableResult func append(to log: inout RecordLog) -> Int { Self.append(to: &log) { encode(into: &$0) } }

  /// Appends the diff's entry, preceded by its length, to the open record.
  ///
  /// - Returns: Its size in bytes.
  static func record(_ diff: Diff, in log: inout RecordLog) -> Int {
    append(to: &log) { writer in writer.message(3) { diff.encode(into: &$0, for: .journal, isAuthor: true) } }
  }

  private static func append(to log: inout RecordLog, _ encode: (inout ByteWriter) -> Void) -> Int {
    var writer = ByteWriter(capacity: 256)
    writer.delimited(encode)
    writer.withUnsafeBytes { log.append($0) }
    return writer.count
  }

  private func encode(into writer: inout ByteWriter) {
    switch self {
    case .diff(let diff): writer.message(3) { diff.encode(into: &$0, for: .journal, isAuthor: true) }
    case .outcome(let session, let outcome):
      writer.message(4) { outcome.encode(into: &$0) }
      writer.uint64(7, session.rawValue)
    case .session(let session): writer.message(5) { session.encode(into: &$0) }
    case .forgotten(let session): writer.presentUInt64(6, session.rawValue)
    case .opened(let epoch): writer.presentUInt64(8, epoch.rawValue)
    case .invite(let role, let text):
      writer.message(9) {
        $0.uint32(1, role.rawValue)
        $0.string(2, text)
      }
    case .migrated(let migration): writer.message(10) { migration.encode(into: &$0) }
    case .charged(let charges):
      writer.message(11) { for charge in charges { $0.message(1) { charge.encode(into: &$0) } } }
    }
  }
}

extension StoredSession {
  init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    self.init(id: .daemon, name: "", person: .daemon, credential: [], sessionName: [], ticket: 0)
    defer { if person == .daemon { person = id } }
    while let field = try reader.nextField() {
      switch field.number {
      case 1: id = SessionID(rawValue: try reader.uint64(field))
      case 2: name = try reader.string(field)
      case 5: isSpectatorOnly = try reader.bool(field)
      case 6: account = AccountKey(rawValue: try reader.fixed64(field))
      case 7: sessionName = try reader.bytes(field)
      case 8: ticket = try reader.uint64(field)
      case 9: person = SessionID(rawValue: try reader.uint64(field))
      case 10: credential = try reader.bytes(field)
      default: try reader.skip(field)
      }
    }
  }

  func encode(into writer: inout ByteWriter) {
    writer.uint64(1, id.rawValue)
    writer.string(2, name)
    writer.bool(5, isSpectatorOnly)
    writer.fixed64(6, account.rawValue)
    writer.bytes(7, sessionName)
    writer.uint64(8, ticket)
    writer.uint64(9, person.rawValue)
    writer.bytes(10, credential)
  }
}

extension StoredCharge {
  init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    var (account, contents) = (UInt64(0), UInt64(0))
    while let field = try reader.nextField() {
      switch field.number {
      case 1: account = try reader.fixed64(field)
      case 2: contents = try reader.uint64(field)
      default: try reader.skip(field)
      }
    }
    self.init(account: AccountKey(rawValue: account), bytes: contents)
  }

  func encode(into writer: inout ByteWriter) {
    writer.fixed64(1, account.rawValue)
    writer.uint64(2, bytes)
  }
}
