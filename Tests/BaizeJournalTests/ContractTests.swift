import BaizeJournal
import BaizeLaboratory
import BaizeSync
import BaizeTable
import TestSupport
import Testing

/// The contract that every journal fulfils (I7).
@Suite(.dedicatedThreads) struct ContractTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The implementations of the seam.
  enum Kind: String, CaseIterable, CustomTestStringConvertible {
    case memory
    case sqliteInMemory
    case sqlite

    var testDescription: String { rawValue }
    var isInFile: Bool { self == .sqlite }

    func open(_ folder: TemporaryFolder) throws -> any JournalStore {
      switch self {
      case .memory: MemoryJournal()
      case .sqliteInMemory: try SQLiteJournal(path: ":memory:")
      case .sqlite: try SQLiteJournal(path: folder.path("journal"))
      }
    }
  }

  // MARK: Turns

  @Test(arguments: Kind.allCases)
  func `committed writes can be read`(kind: Kind) throws {
    let journal = try kind.open(folder)
    #expect(try journal.table(named: "a") == nil && journal.tableCount() == 0)
    try journal.commit(Writes.table("a") + [Writes.record("a", 1)])
    try journal.commit([Writes.record("a", 2)])
    #expect(try journal.table(named: "a")?.summary == "s0.0 r1 r2" && journal.tableCount() == 1)
  }

  @Test(arguments: Kind.allCases)
  func `a table is read as it was written`(kind: Kind) throws {
    let journal = try kind.open(folder)
    let writes =
      Writes.table("a", document: "{\"name\": \"ünï\u{0}code\"}") + [Writes.record("a", 1, revision: 0, bytes: 0)]
      + [
        Writes.record("a", 2, revision: 7, bytes: 100_000), Writes.snapshot("a", record: 2, revision: 7, bytes: 70_000),
      ]
      + [Writes.record("a", 3, revision: 9)]
    try journal.commit(writes)
    #expect(try journal.table(named: "a") == Reference.table("a", after: writes))
    #expect(try journal.table(named: "A") == nil)
  }

  @Test(arguments: Kind.allCases)
  func `tables are separate`(kind: Kind) throws {
    let journal = try kind.open(folder)
    try journal.commit(["a", "b", "c"].flatMap { Writes.table($0) })
    for number in 1...20 as ClosedRange<UInt64> {
      let snapshot = number % 6 == 0 ? [Writes.snapshot("b", record: number, revision: number)] : []
      try journal.commit(["c", "a", "b"].map { Writes.record($0, number) } + snapshot)
    }
    #expect(try journal.table(named: "b")?.summary == "s18.0 r19 r20")
    for name in ["a", "c"] {
      let stored = try #require(try journal.table(named: name))
      #expect(stored.records.map(\.number) == Array(1...20))
      #expect(stored.records.allSatisfy { $0.table == name && $0.bytes == Writes.bytes("\(name) \($0.number)", 40) })
    }
  }

  // MARK: Snapshots

  @Test(arguments: Kind.allCases)
  func `a snapshot is valid once its last part is written`(kind: Kind) throws {
    let journal = try kind.open(folder)
    try journal.commit(Writes.table("a") + [Writes.record("a", 1)])
    for part in 0..<3 {
      if part == 2 { #expect(try journal.table(named: "a")?.summary == "s0.0 r1 r2 r3") }
      try journal.commit([
        Writes.snapshot("a", record: 1, revision: 1, part: part, isLast: part == 2),
        Writes.record("a", UInt64(part + 2)),
      ])
    }
    #expect(try journal.table(named: "a")?.summary == "s1.0 s1.1 s1.2 r2 r3 r4")
  }

  @Test(arguments: Kind.allCases)
  func `an abandoned snapshot leaves no trace`(kind: Kind) throws {
    let journal = try kind.open(folder)
    try journal.commit(Writes.table("a") + [Writes.record("a", 1)])
    try journal.commit((0..<3).map { Writes.snapshot("a", record: 1, revision: 1, part: $0, isLast: false) })
    try journal.commit([
      Writes.record("a", 2), Writes.snapshot("a", record: 2, revision: 2, part: 0, isLast: false),
      Writes.snapshot("a", record: 2, revision: 2, part: 1), Writes.record("a", 3),
    ])
    #expect(try journal.table(named: "a")?.summary == "s2.0 s2.1 r3")
  }

  // MARK: Probes

  @Test(arguments: Kind.allCases)
  func `a probe changes nothing`(kind: Kind) throws {
    let journal = try kind.open(folder)
    try journal.commit(Writes.table("a"))
    try journal.probe()
    #expect(try journal.table(named: "a")?.summary == "s0.0")
  }

  // MARK: Random scripts

  /// Random scripts of all calls, over many seeds. After each step the journal equals the reference built from the list of
  /// committed writes.
  @Test(arguments: Kind.allCases, 1...LongForm.count(6, long: 12) as ClosedRange<UInt64>)
  func `after any script exactly the committed entries remain`(kind: Kind, seed: UInt64) throws {
    var journal = try kind.open(folder)
    var script = Script(seed: seed)
    for step in 0..<120 {
      switch script.random.next(below: 8) {
      case 0: script.discard()
      case 1 where kind.isInFile:
        journal = MemoryJournal()
        journal = try kind.open(folder)
        script.discard()
      case 2...4:
        try journal.commit(script.appended)
        script.commit()
      default: script.turn()
      }
      for name in script.names {
        let stored = try journal.table(named: name)
        #expect(stored == Reference.table(name, after: script.committed), "seed \(seed), step \(step), table \(name)")
      }
    }
  }
}
