import BaizeJournal
import BaizeLaboratory
import BaizeTable
import BaizeTableTypes
import Foundation
import TestSupport
import Testing

@testable import BaizeSync
@testable import baized

/// Tables move to other documents in the journal (I5, I7, M1–M7). `Tests/Journals/before-migration.journal` was written by a
/// daemon that could not do this: nine tables of every bundled type, with hidden faces and a finished game, killed while two
/// bots were seated at each.
@Suite struct MigrationTests {
  static let names = ["grid", "hand", "kanban", "klondike", "list", "nerts", "playlist", "speed", "won"]

  private let folder: TemporaryFolder
  private var path: String { folder.path("journal") }

  init() throws {
    folder = try TemporaryFolder()
    let bytes = try Repository.bytes("Tests/Journals/before-migration.journal")
    #expect(FileManager.default.createFile(atPath: folder.path("journal"), contents: Data(bytes)))
    chmod(folder.path("journal"), 0o600)
  }

  /// The bundled types with another title, a variable, an attic behind the other collections, and no undo.
  private static let types: TableTypeCache = {
    let library = TableTypeLibrary.bundled.documents.reduce(TableTypeLibrary()) { library, document in
      let attic = #"{ "kind": "attic" },"#
      var text = document.text.replacing(
        "\"title\": \"\(document.title)\"", with: "\"title\": \"Another\"", maxReplacements: 1)
      if text.contains(#""variables": {"#) {
        text.replace(#""variables": {"#, with: #""variables": { "wins/{seat}": 0,"#, maxReplacements: 1)
      } else {
        text.replace(
          #""collections": ["#, with: #""variables": { "wins/{seat}": 0 }, "collections": ["#, maxReplacements: 1)
      }
      guard let changed = try? TableTypeDocument(parsing: text) else {
        preconditionFailure("\(document.name): \(attic)")
      }
      return library.adding(changed)
    }
    return TableTypeCache(library)
  }()

  private func restore(_ name: String) throws -> RestoredTable {
    let stored = try #require(try JournalReader(path: path).table(named: name))
    return try RestoredTable(stored, types: TableTypeCompiler(), random: RandomSource(seed: 3))
  }

  private func replay(_ name: String) throws -> (summary: String, lines: [String]) {
    let history = try #require(try JournalReader(path: path).history(ofTable: name))
    let lines = Lines()
    var replay = Replay(history, types: TableTypeCompiler()) { lines.all.append($0) }
    try replay.run()
    return (replay.summary, lines.all)
  }

  private final class Lines { var all: [String] = [] }

  @Test(arguments: names)
  func `a journal of before opens, its tables move, and both histories replay`(name: String) throws {
    let before = try restore(name)
    #expect(try replay(name).summary.hasPrefix("\(before.state.revision.rawValue) diffs"))
    #expect(before.state.seats.count == (name == "won" ? 0 : 2))
    #expect(before.state.status == (name == "won" ? "won" : "open"))

    var moved = before
    #expect(try moved.migrate(to: Self.types))
    var after = try restoreAfterMigration(of: &moved)
    #expect(moved.takeMigration() == nil)
    try expectContinued(before, after)
    #expect(after.viewHash() == moved.viewHash() && after.definition == moved.definition)
    #expect(try !after.migrate(to: Self.types), "it has the present document")
    #expect(try JournalReader(path: path).definition(ofTable: name) == moved.definition)
    let (summary, lines) = try replay(name)
    #expect(
      summary
        == "\(after.state.revision.rawValue) diffs to revision \(after.state.revision.rawValue); stored snapshots checked: 1"
    )
    #expect(lines.contains { $0.contains("continues with another document, as \(moved.definition.typeText)") })
    #expect(lines.contains { $0.contains("wins/1=0") })
    #expect(try JournalBackup.copy(path, to: folder.path("copy")).tables == Self.names.count)
    #expect(try JournalReader(path: folder.path("copy")).definition(ofTable: name) == moved.definition)
  }

  private func expectContinued(_ before: RestoredTable, _ after: RestoredTable) throws {
    let (old, new) = (before.state, after.state)
    #expect(new.revision == old.revision.next && after.epoch.rawValue == before.epoch.rawValue + 1)
    #expect(new.status == old.status && new.seats == old.seats && new.variable("wins/1") == .number(0))
    #expect(after.definition.document != before.definition.document)
    #expect(after.sessions.keys.sorted() == before.sessions.keys.sorted())
    for (id, session) in before.sessions {
      #expect(after.sessions[id]?.stored == session.stored)
      #expect(after.sessions[id]?.outcomes.last == session.outcomes.last)
    }
    for seat in 0...UInt32(2) {
      let (one, two) = try (old.view(for: SeatNumber(rawValue: seat)), new.view(for: SeatNumber(rawValue: seat)))
      for collection in old.handles {
        #expect(one.items(in: collection, from: 0, limit: .max) == two.items(in: collection, from: 0, limit: .max))
        #expect(one.count(in: collection) == two.count(in: collection))
      }
    }
    #expect(new.brokenInvariant() == nil)
  }

  /// Returns what a daemon restores from the snapshot that it writes of a table.
  private func stored(_ table: RestoredTable, createdAs definition: TableDefinition) throws -> RestoredTable {
    var machine = TableMachine(
      restoring: table, epoch: Epoch(rawValue: table.epoch.rawValue + 1), random: RandomSource(seed: 5),
      limits: SharedLimits(SyncLimits()), at: Instant(nanoseconds: 0))
    let producer = StoredSnapshotProducer(of: &machine, record: table.record)
    var parts = [producer.next(of: definition.name)]
    while let last = parts.last, !last.isLast { parts.append(producer.next(of: definition.name)) }
    return try RestoredTable(definition, snapshot: parts, types: TableTypeCompiler(), random: RandomSource(seed: 6))
  }

  @Test(arguments: names) func `a snapshot of a table that has moved has its document`(name: String) throws {
    let before = try restore(name)
    var moved = before
    #expect(try moved.migrate(to: Self.types))
    var again = try stored(moved, createdAs: before.definition)
    #expect(again.definition == moved.definition && again.viewHash() == moved.viewHash())
    #expect(again.sessions.count == before.sessions.count && again.privateIDs.key == moved.privateIDs.key)
    // And back.
    let bundled = TableTypeCache()
    #expect(try again.migrate(to: bundled))
    var back = try stored(again, createdAs: before.definition)
    // The bundled documents are those of the journal, but for those that have changed since.
    #expect((back.definition == before.definition) == ["grid", "list", "playlist"].contains(name))
    #expect(back.viewHash() == again.viewHash())
    #expect(back.state.variables == before.state.variables)
  }

  /// I6: ids in private collections must not be predictable, nor given twice, though the collections come, go and come.
  @Test func `private collections that are new get a secret key, which stays when they are gone`() throws {
    let bundled = try #require(TableTypeLibrary.bundled["list"])
    let drawers = #"{ "kind": "drawer", "family": { "seats": "all" }, "private": true }"#
    let text = bundled.text
    let end = try #require(text.range(of: "  ],\n\n  \"actions\""))
    let document = try TableTypeDocument(
      parsing: text.replacingCharacters(in: end, with: ", \(drawers) ],\n\n  \"actions\""))
    let before = try restore("list")
    var table = before
    #expect(table.privateIDs.key == (0, 0))
    #expect(try table.migrate(to: TableTypeCache(TableTypeLibrary().adding(document))))
    let key = table.privateIDs.key
    #expect(key != (0, 0) && table.state.type.collections.count == 65)
    table = try stored(table, createdAs: before.definition)
    #expect(table.privateIDs.key == key)
    #expect(try table.migrate(to: TableTypeCache()))
    table = try stored(table, createdAs: before.definition)
    #expect(table.privateIDs.key == key && !table.state.type.hasPrivateCollections)
    let next = table.privateIDs.next
    #expect(try table.migrate(to: TableTypeCache(TableTypeLibrary().adding(document))))
    #expect(table.privateIDs.key == key && table.privateIDs.next >= next)
    // In records, too.
    var recorded = before
    #expect(try recorded.migrate(to: TableTypeCache(TableTypeLibrary().adding(document))))
    let taken = recorded.takeMigration()
    let record = try #require(taken)
    var applied = before
    _ = try applied.apply(record)
    #expect(applied.privateIDs.key == recorded.privateIDs.key && applied.viewHash() == recorded.viewHash())
  }

  /// I7: the move is one record, and the record one commit.
  @Test func `after a crash at any byte of the log a table has either document`() throws {
    let before = try restore("hand")
    var moved = before
    #expect(try moved.migrate(to: Self.types))
    let taken = moved.takeMigration()
    let record = try #require(taken)
    let original = try folder.bytes("journal")
    // Left open, as a killed process leaves it.
    let journal = try SQLiteJournal(path: path)
    try journal.commit([.record(record)])
    let (file, log) = (try folder.bytes("journal"), try folder.bytes("journal-wal"))
    #expect(log.count > 32)
    var documents: Set<String> = []
    let step = max(1, log.count / 200)
    for length in Array(stride(from: 0, through: log.count, by: step)) + [log.count] {
      let crashed = try TemporaryFolder()
      try crashed.write(length < log.count ? file : original, to: "journal")
      try crashed.write(file, to: "journal")
      try crashed.write(Array(log.prefix(length)), to: "journal-wal")
      chmod(crashed.path("journal"), 0o600)
      let reopened = try SQLiteJournal(path: crashed.path("journal"))
      let table = try RestoredTable(
        try #require(try reopened.table(named: "hand")), types: TableTypeCompiler(), random: RandomSource(seed: 1))
      documents.insert(table.definition.document)
      let isNew = table.definition.document == moved.definition.document
      #expect(table.state.revision == (isNew ? moved : before).state.revision, "\(length) of \(log.count) bytes")
    }
    #expect(documents == [before.definition.document, moved.definition.document])
  }

  @Test func `a table that does not fit is not changed, and says each reason`() throws {
    var table = try restore("klondike")
    let bundled = try #require(TableTypeLibrary.bundled["klondike"]).text
    let text = bundled.replacing(#""kind": "stock","#, with: #""kind": "stack","#).replacing(
      #""stock""#, with: #""stack""#)
    let document = try TableTypeDocument(parsing: text)
    let revision = table.state.revision
    do {
      _ = try table.migrate(to: TableTypeCache(TableTypeLibrary().adding(document)))
      Issue.record("it moved")
    } catch {
      #expect(error.all.count == 2 && error.description.contains("'stock' is gone and has"), "\(error)")
    }
    #expect(table.state.revision == revision && table.takeMigration() == nil)
  }

  @Test func `a board that is older than the option for its columns keeps its three (M3, J3)`() throws {
    var table = try restore("kanban")
    let before = table.state
    #expect(before.type.options == [Attribute("cards", 8), Attribute("doing", 2)])
    let types = TableTypeCache()
    #expect(try types.isType(before.type, named: "kanban?doing=2&cards=8"))
    #expect(try table.migrate(to: types))
    #expect(table.state.type.options == [Attribute("cards", 8), Attribute("columns", "fixed"), Attribute("doing", 2)])
    #expect(table.definition.typeText == "kanban?cards=8&columns=fixed&doing=2")
    #expect(table.state.handles.map { table.state.rules(of: $0).id } == ["todo", "doing", "done"])
    for handle in before.handles { #expect(table.state.itemIDs(in: handle) == before.itemIDs(in: handle)) }
    // People who join it as before find it, and none who asks for columns that people make.
    #expect(try types.isType(table.state.type, named: "kanban?doing=2&cards=8"))
    #expect(try !types.isType(table.state.type, named: "kanban?doing=2&cards=8&columns=made"))
    var after = try restoreAfterMigration(of: &table)
    #expect(after.definition == table.definition && after.viewHash() == table.viewHash())
    #expect(try replay("kanban").summary.contains("to revision \(after.state.revision.rawValue)"))
  }

  @Test func `without sessions handles may change, and seats are free`() throws {
    var table = try restore("kanban")
    let bundled = try #require(TableTypeLibrary.bundled["kanban"]).text
    let text = bundled.replacing(
      #""collections": ["#, with: #""collections": [{ "kind": "ideas" },"#, maxReplacements: 1)
    let types = TableTypeCache(TableTypeLibrary().adding(try TableTypeDocument(parsing: text)))
    #expect(throws: MigrationObstacles.self) { _ = try table.migrate(to: types) }
    let before = table.state
    #expect(try table.migrate(to: types, endsSessions: true))
    #expect(table.state.seats.isEmpty && table.sessions.isEmpty)
    #expect(table.definition.typeText == "kanban?cards=8&columns=fixed&doing=2")
    for handle in before.handles {
      let other = CollectionHandle(rawValue: handle.rawValue + 1)
      #expect(table.state.itemIDs(in: other) == before.itemIDs(in: handle))
    }
    var after = try restoreAfterMigration(of: &table)
    #expect(after.sessions.isEmpty && after.viewHash() == table.viewHash())
    #expect(try replay("kanban").summary.contains("to revision \(after.state.revision.rawValue)"))
  }

  /// Writes a table's migration to the journal, and restores the table from there.
  private func restoreAfterMigration(of table: inout RestoredTable) throws -> RestoredTable {
    let taken = table.takeMigration()
    let record = try #require(taken)
    do {
      let journal = try SQLiteJournal(path: path)
      try journal.commit([.record(record)])
    }
    return try restore(record.table)
  }
}
