import BaizeTable
import BaizeWire

/// A part of a snapshot in the journal: the whole table, including hidden faces and secrets.
///
/// ```
/// part, a Protocol Buffers message:
///   1 Snapshot      as a client receives it, but with every face: a hidden item carries its face, too
///   2 session       a session that may be resumed, with its outcomes: 1 Session, 2 last seq, 3 Outcome …
///   3 next id       the lowest item id that was never assigned    ┐
///   4 last session  the highest session id ever assigned          │
///   5 view hash     of the state                                  │ in the first part
///   6 invite        for players                                   │
///   7 invite        for spectators                                │
///   8 id key        of the ids in private collections, first word │ if there are or were private collections
///   9 id key        second word                                   │
///  10 id number     of the next such id                           │
///  11 Migration     if the table was moved to another document    │
///  12 handles       one more than the highest one ever given      │
///  13 Charge …      who is charged for what of the contents       ┘
/// ```
struct StoredSnapshotPart {
  var state: SnapshotPart
  var sessions: [SessionState] = []
  var nextID: UInt64 = 0
  var lastSession = SessionID.daemon
  var viewHash: UInt64 = 0
  var invites = Invites()
  /// The source of the ids of items in private collections; its key is a secret.
  var privateIDs: PrivateIDs?
  /// The document of the state, unless it is the one with which the table was created.
  var migration: StoredMigration?
  /// One more than the highest handle ever given to a collection; 0 in journals of before items opened collections.
  var handlesEnd: UInt32 = 0
  /// What each account is charged for of the contents.
  var charges: [StoredCharge] = []

  struct SessionState {
    var session: StoredSession
    var outcomes: RecordedOutcomes
  }
}

extension StoredSnapshotPart {
  init(decoding bytes: ArraySlice<UInt8>) throws(JournalError) {
    do throws(DecodeError) {
      self = try bytes.withUnsafeBufferPointer { (elements) throws(DecodeError) in
        try StoredSnapshotPart(ByteReader(UnsafeRawBufferPointer(elements)))
      }
    } catch {
      throw JournalError(.corrupt, "a snapshot cannot be read: \(error)")
    }
  }

  private init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    self.init(state: SnapshotPart(epoch: Epoch(rawValue: 0), revision: .zero))
    var (key, nextPrivate) = ((UInt64(0), UInt64(0)), UInt64(0))
    while let field = try reader.nextField() {
      switch field.number {
      case 1: state = try SnapshotPart(reader.message(field), from: .journal)
      case 2: sessions.append(try SessionState(reader.message(field)))
      case 3: nextID = try reader.uint64(field)
      case 4: lastSession = SessionID(rawValue: try reader.uint64(field))
      case 5: viewHash = try reader.fixed64(field)
      case 6: invites[.player] = Invite(restoring: try reader.string(field))
      case 7: invites[.spectator] = Invite(restoring: try reader.string(field))
      case 8: key.0 = try reader.fixed64(field)
      case 9: key.1 = try reader.fixed64(field)
      case 10: nextPrivate = try reader.uint64(field)
      case 11: migration = try StoredMigration(reader.message(field))
      case 12: handlesEnd = try reader.uint32(field)
      case 13: charges.append(try StoredCharge(reader.message(field)))
      default: try reader.skip(field)
      }
    }
    if key != (0, 0) { privateIDs = PrivateIDs(key: key, next: nextPrivate) }
  }

  var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 4096)
    writer.message(1) { state.encode(into: &$0, for: .journal) }
    for session in sessions { writer.message(2) { session.encode(into: &$0) } }
    writer.uint64(3, nextID)
    writer.uint64(4, lastSession.rawValue)
    writer.fixed64(5, viewHash)
    writer.string(6, invites[.player]?.text ?? "")
    writer.string(7, invites[.spectator]?.text ?? "")
    if let privateIDs {
      writer.fixed64(8, privateIDs.key.0)
      writer.fixed64(9, privateIDs.key.1)
      writer.uint64(10, privateIDs.next)
    }
    if let migration { writer.message(11) { migration.encode(into: &$0) } }
    writer.uint32(12, handlesEnd)
    for charge in charges { writer.message(13) { charge.encode(into: &$0) } }
    return writer.withUnsafeBytes { [UInt8]($0) }
  }
}

extension StoredSnapshotPart.SessionState {
  fileprivate init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    self.init(
      session: StoredSession(id: .daemon, name: "", person: .daemon, credential: [], sessionName: [], ticket: 0),
      outcomes: RecordedOutcomes())
    var (last, all) = (UInt64(0), [Outcome]())
    while let field = try reader.nextField() {
      switch field.number {
      case 1: session = try StoredSession(reader.message(field))
      case 2: last = try reader.uint64(field)
      case 3: all.append(try Outcome(reader.message(field)))
      default: try reader.skip(field)
      }
    }
    outcomes = RecordedOutcomes(after: SequenceNumber(rawValue: last - min(last, UInt64(all.count))))
    for outcome in all { outcomes.append(outcome, limit: all.count) }
  }

  func encode(into writer: inout ByteWriter) {
    writer.message(1) { session.encode(into: &$0) }
    writer.uint64(2, outcomes.last.rawValue)
    outcomes.encode(3, into: &writer)
  }
}
