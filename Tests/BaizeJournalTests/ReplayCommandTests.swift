import BaizeClient
import BaizeJournal
import BaizeLaboratory
import BaizeSync
import BaizeTable
import BaizeTableTypes
import TestSupport
import Testing

@testable import baized

/// `baized tables` and `baized replay`, on journals written by real machines.
@Suite(.dedicatedThreads) struct ReplayCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let seeds = 1...LongForm.count(1, long: 6) as ClosedRange<UInt64>

  /// Two tables, one of which continued after a restart.
  private static func play(_ folder: TemporaryFolder, seed: UInt64 = 1, keep: UInt64? = nil) throws -> TableState {
    do {
      let journal = try SQLiteJournal(path: folder.path("journal"), keepRevisions: keep)
      var shard = JournalledShard(journal, seed: seed)
      try shard.join("patience", type: "klondike?draw=3", name: "Ada")
      try shard.join("board", type: "kanban?cards=8", name: "Bo\u{1B}[2J")
      try shard.join("patience", type: "klondike?draw=3", name: "Cy")
      try shard.play(turns: 120)
    }
    let journal = try SQLiteJournal(path: folder.path("journal"), keepRevisions: keep)
    var shard = JournalledShard(journal, seed: seed + 100)
    try shard.join("patience", type: "", name: "Di", epoch: 2)
    try shard.play(turns: 40)
    return try #require(shard.state(of: "patience"))
  }

  private static func replay(
    _ folder: TemporaryFolder, _ table: String, from start: UInt64 = 0
  ) throws -> (lines: [String], Replay) {
    let history = try #require(try JournalReader(path: folder.path("journal")).history(ofTable: table))
    let lines = Lines()
    var replay = Replay(history, from: Revision(rawValue: start), types: TableTypeCompiler.shared) {
      lines.all.append($0)
    }
    try replay.run()
    return (lines.all, replay)
  }

  private final class Lines { var all: [String] = [] }

  @Test(arguments: seeds)
  func `the history leads to every stored snapshot`(seed: UInt64) throws {
    let state = try Self.play(folder, seed: seed)
    let (lines, replay) = try Self.replay(folder, "patience")
    #expect(replay.revision == state.revision && state.revision.rawValue > 20)
    #expect(replay.diffs == Int(state.revision.rawValue))
    #expect(replay.snapshots > 2)
    let output = lines.joined(separator: "\n")
    #expect(lines.first == "      0  ·             stored snapshot: begins with 52 items, epoch 1")
    #expect(lines.contains { $0.hasSuffix("Ada           joins (session 1)") })
    #expect(lines.contains { $0.hasSuffix("epoch 2: loaded from the journal") })
    #expect(lines.contains { $0.contains("Di            joins (session ") })
    #expect(lines.contains { $0.contains("stored snapshot: as replayed, 52 items") })
    #expect(output.contains("refused: ") && output.contains(" from stock to waste"))
    let board = try Self.replay(folder, "board").lines.joined(separator: "\n")
    #expect(!board.contains("\u{1B}") && board.contains(#"Bo\u{1b}[2J   joins (session 1)"#))
  }

  /// Every face in a replay was visible at its revision: cards that stay face down appear in no line.
  @Test(arguments: seeds)
  func `a replay shows no hidden face`(seed: UInt64) throws {
    let state = try Self.play(folder, seed: seed)
    let output = try Self.replay(folder, "patience").lines.joined(separator: " ").split(separator: " ")
    // A card in the waste has been face up; cards in a pile that were never turned have not.
    let hidden = state.handles.flatMap { state.items(in: $0, from: 0, limit: 60) }.filter { item in
      item.visibility == .nobody && state.rules(of: item.collection).id.hasPrefix("pile")
    }
    #expect(!hidden.isEmpty)
    for item in hidden {
      let name = Self.name(of: item.face)
      #expect(!output.contains { $0 == name || $0 == "\(name)," }, "\(name)")
    }
  }

  private static func name(of face: Face) -> String {
    guard case .number(let rank)? = face["rank"], case .text(let suit)? = face["suit"] else { return "?" }
    let ranks = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
    return ranks[Int(rank) - 1] + (["clubs": "♣", "diamonds": "♦", "hearts": "♥", "spades": "♠"][suit] ?? "?")
  }

  @Test func `a replay starts printing at the requested revision`() throws {
    _ = try Self.play(folder)
    let (all, whole) = try Self.replay(folder, "patience")
    let (some, part) = try Self.replay(folder, "patience", from: 15)
    #expect(part.diffs == whole.diffs && part.snapshots == whole.snapshots)
    #expect(some == all.filter { Int($0.prefix(7).filter { $0 != " " }) ?? 0 >= 15 })
    #expect(some.count < all.count && !some.isEmpty)
  }

  @Test func `a trimmed history begins at a snapshot and is consistent`() throws {
    let state = try Self.play(folder, keep: 10)
    let (lines, replay) = try Self.replay(folder, "patience")
    #expect(replay.revision == state.revision && replay.diffs < Int(state.revision.rawValue))
    #expect(lines.first?.contains("stored snapshot: begins with 52 items") == true)
  }

  /// The check can fail: a snapshot that is complete and readable, but of another state.
  @Test func `a snapshot that differs from the replayed state is found`() async throws {
    _ = try Self.play(folder)
    do {
      let journal = try SQLiteJournal(path: folder.path("journal"))
      let board = try #require(try JournalReader.firstSnapshot(folder, "patience", journal))
      try journal.commit(board)
    }
    let path = folder.path("journal")
    let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
      [path = path as String] in ReplayCommand.run([path, "patience"])
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("baized replay: the snapshot at revision"))
    #expect(output.contains("does not match the history before it"))
  }

  // MARK: Commands

  @Test func `tables are listed in columns`() throws {
    let state = try Self.play(folder)
    let lines = try TablesCommand.lines(of: JournalReader(path: folder.path("journal")), comparedWith: .bundled)
    #expect(lines.count == 3)
    #expect(lines[0].hasPrefix("TABLE     TYPE             REVISION  FROM  RECORDS  SNAPSHOTS"))
    #expect(lines[1].hasPrefix("board     kanban?cards=8   "))
    #expect(lines[2].hasPrefix("patience  klondike?draw=3  "))
    #expect(lines[2].contains("  \(state.revision.rawValue)     0  "))
    #expect(Set(lines.map(\.count)).count == 1, "\(lines)")
    #expect(lines[0].hasSuffix("DOCUMENT") && lines[1].hasSuffix(" present"))
    #expect(
      try TablesCommand.lines(of: JournalReader(path: folder.path("journal")), comparedWith: TableTypeLibrary())
        .dropFirst().allSatisfy { $0.hasSuffix(" gone") })
    _ = try SQLiteJournal(path: folder.path("empty"))
    #expect(
      try TablesCommand.lines(of: JournalReader(path: folder.path("empty")), comparedWith: .bundled) == ["no tables"])
  }

  @Test func `an unreadable file gives one line and exit code 2`() async throws {
    _ = try Self.play(folder)
    let path = folder.path("journal")
    let noTable = await #expect(processExitsWith: .exitCode(2), observing: [\.standardErrorContent]) {
      [path = path as String] in ReplayCommand.run([path, "nowhere"])
    }
    #expect(Self.line(noTable).hasPrefix("baized replay: there is no table 'nowhere' in '"))
    let noFile = await #expect(processExitsWith: .exitCode(2), observing: [\.standardErrorContent]) {
      [path = path as String] in TablesCommand.run([path + "-not"])
    }
    #expect(Self.line(noFile).hasSuffix("cannot be opened: No such file or directory"))
    let noOperand = await #expect(processExitsWith: .exitCode(2), observing: [\.standardErrorContent]) {
      TablesCommand.run([])
    }
    #expect(Self.line(noOperand) == "baized tables: expected one file (see baized tables --help)")
    await #expect(processExitsWith: .success) { [path = path as String] in ReplayCommand.run([path, "board"]) }
    #expect(try folder.names() == ["journal"])
  }

  /// Returns the last line that a program printed.
  private static func line(_ result: ExitTest.Result?) -> Substring {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n").last ?? ""
  }
}

extension JournalReader {
  /// Returns a table's last complete snapshot, relabelled as one of a later record.
  fileprivate static func firstSnapshot(
    _ folder: TemporaryFolder, _ name: String, _ journal: SQLiteJournal
  ) throws -> [JournalWrite]? {
    guard let stored = try journal.table(named: name), let last = stored.records.last else { return nil }
    return stored.snapshot.map { part in
      var part = part
      part.record = last.number
      part.revision = last.revision
      return .snapshot(part)
    }
  }
}
