import BaizeSync
import BaizeTable
import BaizeWire

/// What a table's journal says, read turn by turn as the daemon ends them: the truth that everyone is compared with.
///
/// It reads the same bytes as a journal and keeps its own account of what is durable, so that neither the daemon nor the
/// journal is believed.
struct Ledger {
  /// Which of the plan's tables it is.
  let place: Int
  /// After the last turn that has ended.
  private(set) var head: Book?
  /// After the last turn that is durable.
  private(set) var durable: Book?
  private var ended: [(turn: TurnNumber, book: Book, parts: [JournalSnapshotPart])] = []
  private var definition: TableDefinition?
  private var timelines: [Epoch: Timeline] = [:]
  /// A snapshot that is not whole yet.
  private var parts: [JournalSnapshotPart] = []
  private var durableParts: [JournalSnapshotPart] = []
  /// The hash of the view after each record: what a snapshot of it has to have.
  private var hashes: [UInt64: UInt64] = [:]
  /// Whether what had ended was lost: the table may only go on under an epoch that no one has heard of.
  private var mustOpen = false
  /// The last revision that anyone was shown.
  private(set) var shown = Revision.zero
  /// Epochs that were shown and not written: nothing could be written then.
  private(set) var unwritten: Set<Epoch> = []
  /// Whether all seats were ever taken.
  private(set) var wasFull = false

  init(ofTable place: Int) { self.place = place }

  /// The hash of all that there was at a revision.
  func hash(at revision: Revision, epoch: Epoch) -> UInt64? { timeline(epoch)?.hash(at: revision) }

  /// The hash of what `session` was to see at a revision.
  func hash(at revision: Revision, epoch: Epoch, for session: SessionID) -> UInt64? {
    timeline(epoch)?.hash(at: revision, for: session)
  }

  /// A table that was read while nothing can be written goes on under an epoch of which the journal does not know, and
  /// stands still.
  private func timeline(_ epoch: Epoch) -> Timeline? {
    if let timeline = timelines[epoch] { return timeline }
    return timelines.keys.filter { $0 < epoch }.max().flatMap { timelines[$0] }
  }

  func state(at revision: Revision, epoch: Epoch) -> TableState? { timelines[epoch]?.state(at: revision) }

  mutating func show(_ revision: Revision) { shown = max(shown, revision) }

  /// Notes that an epoch was shown.
  mutating func show(_ epoch: Epoch) {
    if let durable, epoch > durable.epoch { unwritten.insert(epoch) }
  }

  // MARK: Turns

  /// Takes in what a turn wrote about this table.
  mutating func note(_ write: JournalWrite, _ world: World) throws {
    switch write {
    case .table(let definition):
      guard head == nil, self.definition == nil else { throw Broken("I7", "table \(place) was made a second time") }
      self.definition = definition
    case .snapshot(let part): try note(part, world)
    case .record(let record): try note(record, world)
    }
  }

  /// A turn has ended: what was noted since the last is its.
  mutating func end(_ turn: TurnNumber) {
    if let head { ended.append((turn, head, parts)) }
  }

  /// A turn is durable.
  mutating func commit(_ turn: TurnNumber) {
    while let first = ended.first, first.turn <= turn {
      durable = first.book
      durableParts = first.parts
      ended.removeFirst()
    }
  }

  /// The turns that are not durable are lost.
  ///
  /// - Parameter isCrash: Whether the daemon has forgotten the table altogether.
  mutating func void(isCrash: Bool) {
    if isCrash || head?.record != durable?.record { mustOpen = true }
    ended.removeAll()
    parts = durableParts
    head = durable
    // Nobody has heard of an epoch that was lost.
    timelines = timelines.filter { $0.key <= durable?.epoch ?? Epoch(rawValue: 0) }
    if durable == nil { definition = nil }
  }

  // MARK: Snapshots

  private mutating func note(_ part: JournalSnapshotPart, _ world: World) throws {
    if part.number == 0 { parts.removeAll() }
    guard part.number == parts.count, part.record == parts.first?.record ?? part.record else {
      throw Broken("I7", "part \(part.number) of a snapshot follows \(parts.count) parts")
    }
    parts.append(part)
    guard part.isLast else { return }
    guard let definition else { throw Broken("I7", "a snapshot of a table that was not made") }
    var restored = try RestoredTable(definition, snapshot: parts, types: SimulatedTypes())
    parts.removeAll()
    if let broken = restored.state.brokenInvariant() { throw Broken("I4", "a snapshot in the journal: \(broken)") }
    guard head != nil else { return begin(restored) }
    world.count(.journalSnapshots)
    guard restored.record == part.record, restored.viewHash() == hashes[part.record] else {
      throw Broken("I7", "the snapshot of record \(part.record) is not what the records led to")
    }
  }

  private mutating func begin(_ restored: RestoredTable) {
    let book = Book(restored)
    head = book
    timelines[book.epoch] = Timeline(from: book.table.state)
    noteHash(of: book)
    mustOpen = false
  }

  private mutating func noteHash(of book: Book) {
    hashes[book.record] = timelines[book.epoch]?.hash(at: book.revision)
  }

  // MARK: Records

  private mutating func note(_ record: JournalRecord, _ world: World) throws {
    guard var book = head else { throw Broken("I7", "a record of table \(record.table), which was not made") }
    // Nothing else may hold it while it changes, or all of it would be copied.
    head = nil
    guard record.number == book.record + 1 else {
      throw Broken("I7", "record \(record.number) of table \(record.table) follows \(book.record)")
    }
    book.record = record.number
    for entry in try JournalEntry.entries(of: record.bytes) { try note(entry, in: &book, world) }
    guard book.kicked.isSubset(of: book.forgotten) else {
      throw Broken("I5", "record \(record.number) kicks a session, and does not forget it")
    }
    guard record.revision == book.revision else {
      throw Broken("I2", "record \(record.number) leads to \(book.revision.rawValue), not \(record.revision.rawValue)")
    }
    noteHash(of: book)
    head = book
  }

  private mutating func note(
    _ entry: JournalEntry, in book: inout Book, _ world: World
  ) throws {
    if case .opened(let epoch) = entry { return try open(epoch, &book) }
    guard !mustOpen else {
      throw Broken("I7", "table \(place) goes on under epoch \(book.epoch.rawValue), which was lost")
    }
    switch entry {
    case .diff(let diff): try note(diff, in: &book, world)
    case .outcome(let session, let outcome): try note(outcome, of: session, in: &book, world)
    case .session(let session):
      guard !book.forgotten.contains(session.id) else {
        throw Broken("I3", "session \(session.id.rawValue) was forgotten, and is used again")
      }
      book.sessions[session.id] = session
    case .forgotten(let session):
      book.sessions[session] = nil
      book.forgotten.insert(session)
    case .opened, .invite: break
    }
  }

  private mutating func open(_ epoch: Epoch, _ book: inout Book) throws {
    guard epoch > book.epoch || (epoch == book.epoch && book.revision == .zero) else {
      throw Broken("I2", "epoch \(epoch.rawValue) follows \(book.epoch.rawValue)")
    }
    book.epoch = epoch
    mustOpen = false
    timelines[epoch] = Timeline(from: book.table.state)
  }

  private mutating func note(_ diff: Diff, in book: inout Book, _ world: World) throws {
    let before = book.table.state
    guard diff.revision == before.revision.next else {
      throw Broken("I2", "revision \(diff.revision.rawValue) follows \(before.revision.rawValue)")
    }
    try book.table.apply(diff)
    timelines[book.epoch]?.append(book.table.state)
    try book.judge(diff, before, place, world)
    book.diffs.append(diff)
    if book.table.state.seats.count >= before.type.seatsMax { wasFull = true }
  }

  private func note(
    _ outcome: Outcome, of session: SessionID, in book: inout Book, _ world: World
  ) throws {
    try book.follow(outcome.sequence, of: session)
    let key = OperationKey(session: session, sequence: outcome.sequence)
    book.outcomes[key] = RecordedOutcome(outcome)
    try book.check(outcome, world.asked(key, epoch: book.epoch, table: place), by: session)
    if !outcome.invite.isEmpty, let asked = world.asked(key, epoch: book.epoch, table: place) {
      world.invites.append((Array(outcome.invite.utf8), asked.client))
    }
  }
}

/// An answer that was given, to be given again.
struct RecordedOutcome: Equatable {
  let verdict: Verdict
  let refusal: Refusal
  let revision: Revision
  let invite: String

  init(_ outcome: Outcome) {
    verdict = outcome.verdict
    refusal = outcome.refusal
    revision = outcome.revision
    invite = outcome.invite
  }
}
