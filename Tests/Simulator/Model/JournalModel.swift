import BaizeSync
import BaizeTable
import BaizeWire
import BaizeWorkload

/// A model of a table's journal, read turn by turn from the daemon's writes. All copies are compared with it.
///
/// It reads the same bytes as a journal and tracks durability itself, so that it trusts neither the daemon nor the journal.
struct JournalModel {
  /// The index of the plan's table.
  let tableIndex: Int
  /// The history after the last turn that has ended.
  private(set) var head: TableHistory?
  /// The history after the last durable turn.
  private(set) var durable: TableHistory?
  private var ended: [(turn: TurnNumber, history: TableHistory, parts: [JournalSnapshotPart])] = []
  private var definition: TableDefinition?
  private var timelines: [Epoch: Timeline] = [:]
  /// The parts of an incomplete snapshot.
  private var parts: [JournalSnapshotPart] = []
  private var durableParts: [JournalSnapshotPart] = []
  /// The hash after each record, which a snapshot of it must have.
  private var hashes: [UInt64: UInt64] = [:]
  /// Whether turns that had ended were lost: the table must continue under a new epoch.
  private var mustOpen = false
  /// The last revision that any client saw.
  private(set) var shown = Revision.zero
  /// The epochs that clients received while nothing could be written.
  private(set) var unwritten: Set<Epoch> = []
  /// Whether all seats were ever taken.
  private(set) var wasFull = false

  init(ofTable tableIndex: Int) { self.tableIndex = tableIndex }

  /// Returns the hash of the whole table at a revision.
  func hash(at revision: Revision, epoch: Epoch) -> UInt64? { timeline(epoch)?.hash(at: revision) }

  /// Returns the hash of the view of `session` at a revision.
  func hash(at revision: Revision, epoch: Epoch, for session: SessionID) -> UInt64? {
    timeline(epoch)?.hash(at: revision, for: session)
  }

  /// Returns the timeline of an epoch. If a table was loaded while nothing can be written, the journal does not know its
  /// epoch, and the table has no changes in it.
  private func timeline(_ epoch: Epoch) -> Timeline? {
    if let timeline = timelines[epoch] { return timeline }
    return timelines.keys.filter { $0 < epoch }.max().flatMap { timelines[$0] }
  }

  func state(at revision: Revision, epoch: Epoch) -> TableState? { timelines[epoch]?.state(at: revision) }

  /// Returns the items that `session` had placed last at a revision.
  func itemsPlaced(by session: SessionID, at revision: Revision, epoch: Epoch) -> Set<ItemID> {
    guard let state = timeline(epoch)?.state(at: revision) else { return [] }
    return Set(state.handles.flatMap { state.itemIDs(in: $0) }.filter { state.lastPlacer(of: $0) == session })
  }

  /// Returns the diffs behind a revision, the last one first.
  func diffs(since revision: Revision) -> some Sequence<Diff> { (head?.diffs ?? []).since(revision) }

  /// Whether an item was moved, changed or taken out behind a revision.
  func hasTouched(_ items: Set<ItemID>, since revision: Revision) -> Bool {
    diffs(since: revision).contains { !$0.items.isDisjoint(with: items) }
  }

  mutating func show(_ revision: Revision) { shown = max(shown, revision) }

  /// Records that a client received an epoch.
  mutating func show(_ epoch: Epoch) {
    if let durable, epoch > durable.epoch { unwritten.insert(epoch) }
  }

  // MARK: Turns

  /// Applies a write of the present turn about this table.
  mutating func note(_ write: JournalWrite, _ world: World) throws {
    switch write {
    case .table(let definition):
      try hold(head == nil && self.definition == nil, "I7", "table \(tableIndex) was created a second time")
      self.definition = definition
    case .snapshot(let part): try note(part, world)
    case .record(let record): try note(record, world)
    case .deletion:
      // Only the parts of a first snapshot, which will not be completed, may be deleted.
      try hold(head == nil, "I7", "table \(tableIndex) was deleted")
      definition = nil
      parts.removeAll()
    case .revocations: try hold(false, "I7", "what is revoked was written as a table's")
    }
  }

  /// Ends a turn, with the writes since the last.
  mutating func end(_ turn: TurnNumber) {
    if let head { ended.append((turn, head, parts)) }
  }

  /// Makes a turn durable.
  mutating func commit(_ turn: TurnNumber) {
    while let first = ended.first, first.turn <= turn {
      durable = first.history
      durableParts = first.parts
      ended.removeFirst()
    }
  }

  /// Voids the turns that are not durable.
  ///
  /// - Parameter isCrash: Whether the daemon has lost its memory of the table, too.
  mutating func void(isCrash: Bool) {
    if isCrash || head?.record != durable?.record { mustOpen = true }
    ended.removeAll()
    parts = durableParts
    head = durable
    // No client has received an epoch that was lost.
    timelines = timelines.filter { $0.key <= durable?.epoch ?? Epoch(rawValue: 0) }
    if durable == nil { definition = nil }
  }

  // MARK: Snapshots

  private mutating func note(_ part: JournalSnapshotPart, _ world: World) throws {
    if part.number == 0 { parts.removeAll() }
    try hold(
      part.number == parts.count && part.record == parts.first?.record ?? part.record, "I7",
      "part \(part.number) of a snapshot follows \(parts.count) parts")
    parts.append(part)
    guard part.isLast else { return }
    let definition = try require(definition, "I7", "a snapshot of a table that was not created")
    var restored = try RestoredTable(definition, snapshot: parts, types: SimulatedTypes())
    parts.removeAll()
    try hold("I4", at: "a snapshot in the journal", fault: restored.state.brokenInvariant())
    guard head != nil else { return begin(restored) }
    world.count(.journalSnapshots)
    try hold(
      restored.record == part.record && restored.viewHash() == hashes[part.record], "I7",
      "the snapshot of record \(part.record) differs from the state after its records")
  }

  private mutating func begin(_ restored: RestoredTable) {
    let history = TableHistory(restored)
    head = history
    timelines[history.epoch] = Timeline(from: history.table.state)
    noteHash(of: history)
    mustOpen = false
  }

  private mutating func noteHash(of history: TableHistory) {
    hashes[history.record] = timelines[history.epoch]?.hash(at: history.revision)
  }

  // MARK: Records

  private mutating func note(_ record: JournalRecord, _ world: World) throws {
    var history = try require(head, "I7", "a record of table \(record.table), which was not created")
    // A second reference to it would cause a copy of all of it on change.
    head = nil
    try hold(
      record.number == history.record + 1, "I7",
      "record \(record.number) of table \(record.table) follows \(history.record)")
    history.record = record.number
    for entry in try JournalEntry.entries(of: record.bytes) { try note(entry, in: &history, world) }
    try hold(
      history.kicked.isSubset(of: history.forgotten), "I5",
      "record \(record.number) kicks a session, and does not forget it")
    try hold(
      record.revision == history.revision, "I2",
      "record \(record.number) leads to \(history.revision.rawValue), not \(record.revision.rawValue)")
    noteHash(of: history)
    head = history
  }

  private mutating func note(
    _ entry: JournalEntry, in history: inout TableHistory, _ world: World
  ) throws {
    if case .opened(let epoch) = entry { return try open(epoch, &history) }
    try hold(!mustOpen, "I7", "table \(tableIndex) continues under epoch \(history.epoch.rawValue), which was lost")
    switch entry {
    case .diff(let diff): try note(diff, in: &history, world)
    case .outcome(let session, let outcome): try note(outcome, of: session, in: &history, world)
    case .session(let session):
      try hold(
        !history.forgotten.contains(session.id), "I3", "session \(session.id.rawValue) was forgotten, and is used again"
      )
      history.sessions[session.id] = session
    case .forgotten(let session):
      history.sessions[session] = nil
      history.forgotten.insert(session)
    case .opened, .invite, .charged: break
    case .migrated: throw InvariantViolation("I5", "a table got another document, and there is none")
    }
  }

  private mutating func open(_ epoch: Epoch, _ history: inout TableHistory) throws {
    try hold(
      epoch > history.epoch || (epoch == history.epoch && history.revision == .zero), "I2",
      "epoch \(epoch.rawValue) follows \(history.epoch.rawValue)")
    history.epoch = epoch
    mustOpen = false
    timelines[epoch] = Timeline(from: history.table.state)
  }

  private mutating func note(_ diff: Diff, in history: inout TableHistory, _ world: World) throws {
    let before = history.table.state
    try hold(
      diff.revision == before.revision.next, "I2",
      "revision \(diff.revision.rawValue) follows \(before.revision.rawValue)")
    try history.table.apply(diff)
    timelines[history.epoch]?.append(history.table.state)
    try history.judge(diff, before, tableIndex, world)
    history.diffs.append(diff)
    if history.table.state.seats.count >= before.type.seatsMax { wasFull = true }
  }

  private func note(
    _ outcome: Outcome, of session: SessionID, in history: inout TableHistory, _ world: World
  ) throws {
    let key = OperationKey(session: session, sequence: outcome.sequence)
    try history.follow(key)
    history.outcomes[key] = outcome
    try history.check(outcome, world.asked(key, epoch: history.epoch, table: tableIndex), by: session)
    if !outcome.invite.isEmpty, let asked = world.asked(key, epoch: history.epoch, table: tableIndex) {
      world.invites.append((Array(outcome.invite.utf8), asked.client))
    }
  }
}
