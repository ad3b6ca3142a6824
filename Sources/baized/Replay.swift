import BaizeBot
import BaizeJournal
import BaizeSync
import BaizeTable
import BaizeWire

/// Goes through all that a journal keeps of a table: says what happened, and holds every stored snapshot against what the
/// records before it have led to.
struct Replay {
  private let types: any TableTypeReader
  private let history: TableHistory
  /// What led to earlier revisions is gone through in silence.
  private let start: Revision
  private let say: (String) -> Void

  /// The table by the journal's own means, to compare.
  private var table: RestoredTable?
  /// The same table as a spectator saw it, diff by diff.
  private var shown: Table?
  private var names: [SessionID: String] = [:]

  private(set) var diffs = 0
  private(set) var snapshots = 0

  init(
    _ history: TableHistory, from start: Revision = .zero, types: any TableTypeReader, say: @escaping (String) -> Void
  ) {
    self.history = history
    self.start = start
    self.types = types
    self.say = say
  }

  /// The last revision that was reached.
  var revision: Revision { table?.state.revision ?? .zero }

  /// - Throws: A ``JournalError`` of kind `corrupt` where something cannot be read, or does not follow from what came
  ///   before.
  mutating func run() throws(JournalError) {
    while let step = try history.next() {
      switch step {
      case .snapshot(let parts): try take(parts)
      case .record(let record): try take(record)
      }
    }
  }

  // MARK: Snapshots

  private mutating func take(_ parts: [JournalSnapshotPart]) throws(JournalError) {
    var stored = try RestoredTable(history.definition, snapshot: parts, types: types)
    snapshots += 1
    guard var replayed = table else {
      try begin(at: stored)
      return
    }
    if let difference = Self.difference(of: &stored, from: &replayed) {
      throw JournalError(
        .corrupt,
        "the snapshot at revision \(stored.state.revision.rawValue) is not what the history before it leads to: "
          + difference)
    }
    table = replayed
    tell(stored.state.revision, "", "stored snapshot: as replayed, \(Self.count(stored.state.itemCount, "item"))")
  }

  private mutating func begin(at stored: RestoredTable) throws(JournalError) {
    let state = stored.state
    table = stored
    do throws(DiffMismatch) {
      shown = Table(replicaOf: try state.view(for: .spectator))
    } catch {
      throw JournalError(.corrupt, "table \(history.definition.name): \(error.detail)")
    }
    for seat in state.seats { names[seat.session] = seat.name }
    tell(
      state.revision, "",
      "stored snapshot: begins with \(Self.count(state.itemCount, "item")), epoch \(stored.epoch.rawValue)")
  }

  private static func difference(of stored: inout RestoredTable, from replayed: inout RestoredTable) -> String? {
    guard stored.record == replayed.record else { return "it is of record \(stored.record), not \(replayed.record)" }
    guard stored.epoch == replayed.epoch else {
      return "it is of epoch \(stored.epoch.rawValue), not \(replayed.epoch.rawValue)"
    }
    if let difference = stored.state.difference(from: replayed.state) { return difference }
    return stored.viewHash() == replayed.viewHash() ? nil : "its view has another hash"
  }

  // MARK: Records

  private mutating func take(_ record: JournalRecord) throws(JournalError) {
    guard let entries = try table?.apply(record) else { return }
    for entry in entries { try tell(of: entry) }
  }

  private mutating func tell(of entry: JournalEntry) throws(JournalError) {
    guard let state = shown?.state else { return }
    switch entry {
    case .diff(let diff): try tell(of: diff.told(to: .spectator), state)
    case .outcome(let session, let outcome):
      // Why something was refused may tell what only its author sees.
      if !state.type.hasSecrets { tell(state.revision, name(of: session), Self.line(for: outcome)) }
    case .session(let session): welcome(session, at: state.revision)
    case .forgotten(let session):
      tell(state.revision, name(of: session), "is forgotten (session \(session.rawValue))")
    case .invite(let role, _): tell(state.revision, "", "a new invite for a \(role)")
    case .opened(let epoch): tell(state.revision, "", "epoch \(epoch.rawValue): loaded from the journal")
    }
  }

  private mutating func tell(of diff: Diff, _ before: TableState) throws(JournalError) {
    diffs += 1
    let text = diff.revision >= start ? ReplayText(diff, before: before) : nil
    do throws(DiffMismatch) {
      try shown?.apply(diff)
    } catch {
      throw JournalError(.corrupt, "table \(history.definition.name): \(error.detail)")
    }
    guard let text, let after = shown?.state else { return }
    tell(diff.revision, name(of: diff.author), text.line(after: after))
  }

  /// A session's entry comes with each new token; that the client has it is nothing to tell.
  private mutating func welcome(_ session: StoredSession, at revision: Revision) {
    let isNew = names.updateValue(session.name, forKey: session.id) == nil
    if isNew {
      tell(revision, name(of: session.id), "comes (session \(session.id.rawValue))")
    } else if !session.previousToken.isEmpty {
      tell(revision, name(of: session.id), "comes back (session \(session.id.rawValue))")
    }
  }

  private static func line(for outcome: Outcome) -> String {
    switch outcome.verdict {
    case .refused: "operation \(outcome.sequence.rawValue): \(Narration.line(for: outcome.refusal))"
    case .unchanged: "operation \(outcome.sequence.rawValue): changes nothing"
    case .duplicate, .retry: "operation \(outcome.sequence.rawValue): answered"
    }
  }

  // MARK: Lines

  /// `   132  Ada           6♦ from waste to pile/3 on 7♠`
  private func tell(_ revision: Revision, _ who: String, _ what: String) {
    guard revision >= start else { return }
    let number = "\(revision.rawValue)"
    let subject = who.isEmpty ? "·" : who
    say(
      String(repeating: " ", count: max(0, 7 - number.count)) + number + "  " + subject
        + String(repeating: " ", count: max(1, 14 - subject.count)) + what)
  }

  private func name(of session: SessionID) -> String {
    if session == .daemon { return "the table" }
    let name = Printable.text(names[session] ?? "")
    return name.isEmpty ? "session \(session.rawValue)" : name
  }

  private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
