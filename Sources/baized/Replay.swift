import BaizeBot
import BaizeJournal
import BaizeSync
import BaizeTable
import BaizeWire

/// Replays the history of a table from a journal: prints each step and checks every stored snapshot against the state that
/// the records before it lead to.
struct Replay {
  private let types: any TableTypeReader
  private let history: TableHistory
  /// The first revision to print. Earlier steps are replayed silently.
  private let start: Revision
  private let printLine: (String) -> Void

  /// The table as the journal restores it.
  private var table: RestoredTable?
  /// The same table as a spectator sees it.
  private var shown: Table?
  private var names: [SessionID: String] = [:]

  private(set) var diffs = 0
  private(set) var snapshots = 0

  init(
    _ history: TableHistory, from start: Revision = .zero, types: any TableTypeReader,
    printLine: @escaping (String) -> Void
  ) {
    self.history = history
    self.start = start
    self.types = types
    self.printLine = printLine
  }

  /// The result in one line.
  var summary: String {
    "\(diffs) diffs to revision \(revision.rawValue); stored snapshots checked: \(snapshots)"
  }

  var revision: Revision { table?.state.revision ?? .zero }

  /// Replays the whole history.
  ///
  /// - Throws: ``JournalError`` of kind `corrupt` if a step cannot be read or contradicts the steps before it.
  mutating func run() throws(JournalError) {
    while let step = try history.next() {
      switch step {
      case .snapshot(let parts): try check(parts)
      case .record(let record): try apply(record)
      }
    }
  }

  // MARK: Snapshots

  private mutating func check(_ parts: [JournalSnapshotPart]) throws(JournalError) {
    var stored = try RestoredTable(history.definition, snapshot: parts, types: types)
    snapshots += 1
    guard var replayed = table else {
      try begin(at: stored)
      return
    }
    if let difference = Self.difference(of: &stored, from: &replayed) {
      throw JournalError(
        .corrupt,
        "the snapshot at revision \(stored.state.revision.rawValue) does not match the history before it: "
          + difference)
    }
    table = replayed
    line(stored.state.revision, "", "stored snapshot: as replayed, \(Self.count(stored.state.itemCount, "item"))")
  }

  private mutating func begin(at stored: RestoredTable) throws(JournalError) {
    let state = stored.state
    table = stored
    do throws(DiffMismatch) {
      shown = Table(replicaOf: try state.view(for: .spectator))
    } catch {
      throw JournalError(.corrupt, "table \(history.definition.name): \(error.detail)")
    }
    for seat in state.seats { names[seat.person] = seat.name }
    line(
      state.revision, "",
      "stored snapshot: begins with \(Self.count(state.itemCount, "item")), epoch \(stored.epoch.rawValue)")
  }

  private static func difference(of stored: inout RestoredTable, from replayed: inout RestoredTable) -> String? {
    guard stored.record == replayed.record else { return "it has record \(stored.record), not \(replayed.record)" }
    guard stored.epoch == replayed.epoch else {
      return "it has epoch \(stored.epoch.rawValue), not \(replayed.epoch.rawValue)"
    }
    if let difference = stored.state.difference(from: replayed.state) { return difference }
    return stored.viewHash() == replayed.viewHash() ? nil : "its view has a different hash"
  }

  // MARK: Records

  private mutating func apply(_ record: JournalRecord) throws(JournalError) {
    guard let entries = try table?.apply(record) else { return }
    for entry in entries { try print(entry) }
  }

  private mutating func print(_ entry: JournalEntry) throws(JournalError) {
    guard let state = shown?.state else { return }
    switch entry {
    case .diff(let diff): try print(diff.view(for: .spectator), state)
    case .outcome(let session, let outcome):
      // A refusal may reveal what only its author may see.
      if !state.type.hasSecrets { line(state.revision, name(of: session), Self.line(for: outcome)) }
    case .session(let session): print(session, at: state.revision)
    case .forgotten(let session):
      line(state.revision, name(of: session), "is forgotten (session \(session.rawValue))")
    case .invite(let role, _): line(state.revision, "", "a new invite for a \(role)")
    case .charged: break
    case .opened(let epoch): line(state.revision, "", "epoch \(epoch.rawValue): loaded from the journal")
    case .migrated(let migration):
      try show()
      line(state.revision, "", "continues with another document, as \(migration.typeText.printable())")
    }
  }

  private mutating func print(_ diff: Diff, _ before: TableState) throws(JournalError) {
    diffs += 1
    let text = diff.revision >= start ? ReplayText(diff, before: before) : nil
    do throws(DiffMismatch) {
      try shown?.apply(diff)
    } catch {
      throw JournalError(.corrupt, "table \(history.definition.name): \(error.detail)")
    }
    guard let text, let after = shown?.state else { return }
    line(diff.revision, name(of: diff.author), text.line(after: after))
  }

  /// Begins to show the table with the document that it has now.
  private mutating func show() throws(JournalError) {
    guard let type = table?.state.type, let before = shown?.state else { return }
    do throws(DiffMismatch) {
      shown = Table(replicaOf: try before.carried(to: type, for: .replica))
    } catch {
      throw JournalError(.corrupt, "table \(history.definition.name): \(error.detail)")
    }
  }

  /// Prints that a session joins.
  private mutating func print(_ session: StoredSession, at revision: Revision) {
    guard names.updateValue(session.name, forKey: session.id) == nil else { return }
    let device = session.person == session.id ? "" : ", of person \(session.person.rawValue)"
    line(revision, name(of: session.id), "joins (session \(session.id.rawValue)\(device))")
  }

  private static func line(for outcome: Outcome) -> String {
    switch outcome.verdict {
    case .refused: "operation \(outcome.sequence.rawValue): \(Narration.line(for: outcome.refusal))"
    case .unchanged: "operation \(outcome.sequence.rawValue): changes nothing"
    case .duplicate, .retry: "operation \(outcome.sequence.rawValue): answered"
    }
  }

  // MARK: Lines

  /// Prints a line such as `   132  Ada           6♦ from waste to pile/3 on 7♠`.
  private func line(_ revision: Revision, _ who: String, _ what: String) {
    guard revision >= start else { return }
    let number = "\(revision.rawValue)"
    let subject = who.isEmpty ? "·" : who
    printLine(
      String(repeating: " ", count: max(0, 7 - number.count)) + number + "  " + subject
        + String(repeating: " ", count: max(1, 14 - subject.count)) + what)
  }

  private func name(of session: SessionID) -> String {
    if session == .daemon { return "the table" }
    let name = (names[session] ?? "").printable()
    return name.isEmpty ? "session \(session.rawValue)" : name
  }

  private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
