import BaizeJournal
import BaizeTable
import BaizeTableTypes
import BaizeWire
import TestSupport
import Testing

@testable import BaizeSync

/// The contract of a journal, as its protocol states it, over every engine (I2, I3, I7, I14): what was acknowledged is there
/// for ever, what is void never was.
@Suite(.hangGuard, .dedicatedThreads) struct ContractTests {
  // MARK: Turns

  @Test(arguments: JournalEngine.allCases)
  func `what was acknowledged is read as it was written, now and later`(engine: JournalEngine) async throws {
    let place = try JournalPlace(engine)
    var user = try await place.open()
    let writes =
      Writes.table("a", document: "{\"name\": \"ünï\u{0}code\"}") + [Writes.record("a", 1, revision: 0, bytes: 0)]
      + [
        Writes.record("a", 2, revision: 7, bytes: 100_000), Writes.snapshot("a", record: 2, revision: 7, bytes: 70_000),
      ]
      + [Writes.record("a", 3, revision: 9)]
    #expect(try user.table("a") == nil && user.tablesAtOpening == 0)
    #expect(user.commit(writes))
    for isAgain in [false, true] {
      if isAgain {
        await user.end()
        user = try await place.open()
        #expect(user.tablesAtOpening == 1)
      }
      #expect(try user.table("a") == Reference.table("a", after: writes) && user.table("A") == nil)
    }
    #expect(user.commit([Writes.record("a", 4, revision: 9)]))
    #expect(try user.table("a")?.summary == "s2.0 r3 r4")
    await user.end()
  }

  @Test(arguments: JournalEngine.allCases)
  func `each shard's turns are acknowledged in their order, and its tables are its own`(
    engine: JournalEngine
  ) async throws {
    let place = try JournalPlace(engine)
    let user = try await place.open(shards: 3)
    let names = ["a", "b", "c"]
    for shard in 0..<3 { user.send(Writes.table(names[shard]), from: shard) }
    for number in 1...20 as ClosedRange<UInt64> {
      for shard in [2, 0, 1] {
        let snapshot = number % 6 == 0 ? [Writes.snapshot(names[shard], record: number, revision: number)] : []
        user.send([Writes.record(names[shard], number)] + snapshot, from: shard)
      }
    }
    for shard in 0..<3 {
      var numbers: [Int] = []
      while numbers.last != 21 {
        let answer = try #require(user.next(1, of: shard).first)
        numbers.append(try #require(Int(answer.replacing("acknowledged ", with: ""))))
      }
      #expect(numbers == Array(Set(numbers)).sorted())
      let stored = try #require(try user.table(names[shard]))
      #expect(stored.summary == "s18.0 r19 r20")
      #expect(stored.records.allSatisfy { $0.bytes == Writes.bytes("\(names[shard]) \($0.number)", 40) })
    }
    await user.end()
  }

  @Test(arguments: JournalEngine.allCases)
  func `all that was sent is durable when the journal has ended`(engine: JournalEngine) async throws {
    let place = try JournalPlace(engine)
    let user = try await place.open(shards: 2)
    user.send(Writes.table("a") + Writes.table("b"))
    for number in 1...50 as ClosedRange<UInt64> { user.send([Writes.record("a", number)]) }
    await user.end()
    #expect(user.events.last == "ended without 0 turns" && user.answers(of: 0).last == "acknowledged 51")
    let again = try await place.open()
    #expect(try again.table("a")?.records.last?.number == 50 && again.tablesAtOpening == 2)
    await again.end()
  }

  // MARK: Failures

  /// No part of it, of no table, also not after opening the journal again.
  @Test(arguments: JournalEngine.allCases)
  func `a turn that failed is answered to all as void, and never read`(engine: JournalEngine) async throws {
    let place = try JournalPlace(engine)
    var user = try await place.open(shards: 2)
    #expect(user.commit(Writes.table("a") + Writes.table("b") + [Writes.record("a", 1)]))
    place.setFailing(true, user)
    user.send([Writes.record("a", 2, bytes: 999), Writes.record("b", 1, bytes: 999)] + Writes.table("c"))
    #expect(user.next(1) == ["failed 1"] && user.next(1, of: 1) == ["failed 1"])
    // The shard has not received it yet: a turn on top of what is void is void, too, and what it asks for is read without.
    user.send([Writes.record("a", 3), .deletion("b")], loads: ["a", "b", "c"], generation: 0)
    #expect(user.next(3) == ["table a: s0.0 r1", "table b: s0.0", "no c"])
    place.setFailing(false, user)
    #expect(user.next(1) == ["recovered"] && user.next(1, of: 1) == ["recovered"])
    #expect(user.commit([Writes.record("a", 2)]))
    for isAgain in [false, true] {
      if isAgain {
        await user.end()
        #expect(user.events.filter { $0.hasPrefix("failed, may pass") }.count == 1, "reported once")
        user = try await place.open()
      }
      let stored = try #require(try user.table("a"))
      #expect(stored.summary == "s0.0 r1 r2" && stored.records.last?.bytes.count == 40)
      #expect(try user.table("b")?.summary == "s0.0" && user.table("c") == nil)
    }
    await user.end()
  }

  @Test(arguments: JournalEngine.allCases)
  func `under relaxed a turn that failed is kept, and acknowledged later`(engine: JournalEngine) async throws {
    let place = try JournalPlace(engine)
    let user = try await place.open(.relaxed)
    #expect(user.commit(Writes.table("a") + Writes.table("b")))
    place.setFailing(true, user)
    user.send([Writes.record("a", 1)])
    #expect(user.next(1) == ["failed 0"])
    // Not before the turns that change it.
    user.send([Writes.record("a", 2)], loads: ["a", "b"])
    #expect(user.next(1) == ["table b: s0.0"])
    place.setFailing(false, user)
    #expect(user.next(3) == ["acknowledged 3", "recovered", "table a: s0.0 r1 r2"])
    await user.end()
  }

  // MARK: Snapshots

  @Test(arguments: JournalEngine.allCases)
  func `a snapshot counts once its last part is durable`(engine: JournalEngine) async throws {
    let user = try await JournalPlace(engine).open()
    #expect(user.commit(Writes.table("a") + [Writes.record("a", 1)]))
    for part in 0..<3 {
      if part == 2 { #expect(try user.table("a")?.summary == "s0.0 r1 r2 r3") }
      #expect(
        user.commit([
          Writes.snapshot("a", record: 1, revision: 1, part: part, isLast: part == 2),
          Writes.record("a", UInt64(part + 2)),
        ]))
    }
    #expect(try user.table("a")?.summary == "s1.0 s1.1 s1.2 r2 r3 r4")
    await user.end()
  }

  @Test(arguments: JournalEngine.allCases)
  func `an abandoned snapshot leaves no trace`(engine: JournalEngine) async throws {
    let user = try await JournalPlace(engine).open()
    #expect(user.commit(Writes.table("a") + [Writes.record("a", 1)]))
    #expect(user.commit((0..<3).map { Writes.snapshot("a", record: 1, revision: 1, part: $0, isLast: false) }))
    #expect(
      user.commit([
        Writes.record("a", 2), Writes.snapshot("a", record: 2, revision: 2, part: 0, isLast: false),
        Writes.snapshot("a", record: 2, revision: 2, part: 1), Writes.record("a", 3),
      ]))
    #expect(try user.table("a")?.summary == "s2.0 s2.1 r3")
    await user.end()
  }

  // MARK: Tables

  /// The first snapshot of a table that is set up over many turns.
  private static func part(_ number: Int, of name: String, isLast: Bool = false) -> JournalWrite {
    Writes.snapshot(name, record: 0, revision: 0, part: number, isLast: isLast)
  }

  private static func begin(_ name: String, parts: Int) -> [JournalWrite] {
    Writes.table(name).prefix(1) + (0..<parts).map { part($0, of: name) }
  }

  @Test(arguments: JournalEngine.allCases)
  func `a table exists, and is found, when its first snapshot is complete`(engine: JournalEngine) async throws {
    let place = try JournalPlace(engine)
    let user = try await place.open()
    #expect(user.commit(Self.begin("a", parts: 1)))
    #expect(user.commit([Self.part(1, of: "a")] + Writes.table("b")))
    #expect(try user.table("a") == nil && user.table("b") != nil)
    #expect(try !user.journal.contains(tableNamed: "a") && user.journal.contains(tableNamed: "b"))
    #expect(user.commit([Self.part(2, of: "a", isLast: true), Writes.record("a", 1)]))
    #expect(try user.table("a")?.summary == "s0.0 s0.1 s0.2 r1" && user.journal.contains(tableNamed: "a"))
    // One that is given up makes room for another of its name.
    #expect(user.commit(Self.begin("c", parts: 2)) && user.commit([.deletion("c")]))
    #expect(user.commit(Writes.table("c") + [Writes.record("c", 1)]))
    #expect(try user.table("c")?.summary == "s0.0 r1")
    await user.end()
    let again = try await place.open()
    #expect(again.tablesAtOpening == 3)
    await again.end()
  }

  @Test(arguments: JournalEngine.allCases)
  func `a deleted table is gone with its turn, and its name is free`(engine: JournalEngine) async throws {
    let place = try JournalPlace(engine)
    var user = try await place.open()
    #expect(user.commit(["a", "b", "c"].flatMap { Writes.table($0) + [Writes.record($0, 1), Writes.record($0, 2)] }))
    #expect(user.commit([.deletion("a"), .deletion("nowhere"), .deletion("c")] + Writes.table("c")))
    for isAgain in [false, true] {
      if isAgain {
        await user.end()
        user = try await place.open()
      }
      #expect(try user.table("a") == nil && !user.journal.contains(tableNamed: "a"))
      #expect(try user.table("b")?.summary == "s0.0 r1 r2" && user.table("c")?.summary == "s0.0")
    }
    #expect(user.commit(Writes.table("a") + [Writes.record("a", 1)]))
    #expect(try user.table("a")?.summary == "s0.0 r1")
    await user.end()
  }

  @Test(arguments: JournalEngine.allCases.filter(\.hasExpiry))
  func `a table that nobody has used for so many days is answered as expired, to its shard`(
    engine: JournalEngine
  ) async throws {
    let place = try JournalPlace(engine)
    let names = (0..<8).map { "unused-\($0)" }
    var found: [Int: [String]] = [:]
    for day in 0...3 {
      let user = try await place.open(shards: 2, expiry: ExpiryRule(days: 2))
      // The search is over when a second turn is acknowledged.
      let first = day == 0 ? Writes.table("used") : [Writes.record("used", UInt64(2 * day - 1))]
      var answers: [String] = []
      for (number, writes) in [first, day == 0 ? [] : [Writes.record("used", UInt64(2 * day))]].enumerated() {
        user.send(writes)
        while !answers.contains("acknowledged \(number + 1)") { answers += user.next(1) }
      }
      if day == 0 { #expect(user.commit(names.flatMap { Writes.table($0) })) }
      for (shard, answers) in [answers, user.answers(of: 1)].enumerated() {
        for table in answers.filter({ $0.hasPrefix("expired ") }).map({ String($0.dropFirst(8)) }) {
          #expect(ShardMachine.shard(ofTable: table, among: 2) == shard)
          found[day, default: []].append(table)
        }
      }
      await user.end()
      try place.run(hours: 24)
    }
    #expect(found.mapValues { $0.sorted() } == [2: names])
  }

  // MARK: Revocations

  /// The last acknowledged one, whole, whatever shard wrote it and whatever else its turn had.
  @Test(arguments: JournalEngine.allCases)
  func `the journal keeps one document of revocations`(engine: JournalEngine) async throws {
    let place = try JournalPlace(engine)
    let large = Writes.bytes("large", 300_000)
    for (number, document) in [Array("one".utf8)[...], large, [], [0, 255, 0]].enumerated() {
      let user = try await place.open(shards: 2)
      if number == 0 { #expect(user.revocationsAtOpening == nil) }
      #expect(user.commit([.revocations([1, 2, 3])], from: 1))
      #expect(user.commit(Writes.table("t\(number)") + [.revocations([4]), .revocations(document)]))
      place.setFailing(true, user)
      user.send([.revocations([9, 9])] + Writes.table("void"))
      #expect(user.next(1) == ["failed 1"])
      place.setFailing(false, user)
      #expect(user.next(1) == ["recovered"])
      #expect(try user.table("t\(number)")?.summary == "s0.0" && user.table("void") == nil)
      await user.end()
      let again = try await place.open()
      #expect(again.revocationsAtOpening == Array(document) && again.tablesAtOpening == number + 1)
      await again.end()
    }
  }

  // MARK: Loading

  /// Commits go on while a table is read; what is read is the state after the turn that asked.
  @Test(arguments: JournalEngine.allCases)
  func `a table is read after the turn that asks for it, beside the commits of others`(
    engine: JournalEngine
  ) async throws {
    let user = try await JournalPlace(engine).open()
    #expect(user.commit(Writes.table("b")))
    let release = user.holdReading()
    user.send(Writes.table("a") + [Writes.record("a", 1), Writes.record("a", 2)], loads: ["a", "nowhere"])
    #expect(user.next(1) == ["acknowledged 2"])
    for number in 1...9 as ClosedRange<UInt64> { #expect(user.commit([Writes.record("b", number)])) }
    release()
    #expect(user.next(2) == ["table a: s0.0 r1 r2", "no nowhere"])
    await user.end()
  }

  // MARK: Real tables

  private final class Commits: JournalStore {
    private let memory = MemoryJournal()
    private(set) var turns: [[JournalWrite]] = []

    func commit(_ writes: [JournalWrite]) throws(JournalError) {
      try memory.commit(writes)
      turns.append(writes)
    }
    func probe() {}
    func tableCount() -> Int { memory.tableCount() }
    func search() -> TableSearch { memory.search() }
    func table(named name: String) -> StoredTable? { memory.table(named: name) }
  }

  /// The turns of a real shard at a table of two people, with an invite.
  private static func turns() throws -> [[JournalWrite]] {
    let commits = Commits()
    var shard = JournalledShard(commits, seed: 5)
    for name in ["Ada", "Bo"] { try shard.join("t", type: "list?items=9", name: name) }
    try shard.invite()
    try shard.play(turns: 60)
    return commits.turns
  }

  private static func restore(_ user: JournalUser) throws -> RestoredTable {
    try RestoredTable(try #require(try user.table("t")), types: TableTypeCompiler.shared)
  }

  @Test(arguments: JournalEngine.allCases)
  func `sessions, invites and a move to another document are restored`(engine: JournalEngine) async throws {
    let place = try JournalPlace(engine)
    var user = try await place.open()
    let turns = try Self.turns()
    for turn in turns { #expect(user.commit(turn)) }
    #expect(try user.table("t") == Reference.table("t", after: turns.flatMap(\.self)))
    let before = try Self.restore(user)
    #expect(before.sessions.count == 2 && before.invites[.spectator] != nil && before.state.revision > .zero)
    #expect(before.sessions.values.allSatisfy { $0.outcomes.last > .zero && !$0.stored.credential.isEmpty })

    let bundled = try #require(TableTypeLibrary.bundled["list"])
    let document = try TableTypeDocument(
      parsing: bundled.text.replacing("\"title\": \"\(bundled.title)\"", with: "\"title\": \"Another\""))
    var moved = before
    #expect(try moved.migrate(to: TableTypeCache(TableTypeLibrary().adding(document))))
    let record = moved.takeMigration()
    #expect(user.commit([.record(try #require(record))]))
    for isAgain in [false, true] {
      if isAgain {
        await user.end()
        user = try await place.open()
      }
      var after = try Self.restore(user)
      #expect(after.definition == moved.definition && after.definition != before.definition)
      #expect(after.viewHash() == moved.viewHash() && after.epoch.rawValue == before.epoch.rawValue + 1)
      #expect(after.sessions.mapValues(\.stored) == before.sessions.mapValues(\.stored))
      #expect(after.sessions.mapValues(\.outcomes.last) == before.sessions.mapValues(\.outcomes.last))
      #expect(after.invites[.spectator]?.text == before.invites[.spectator]?.text)
    }
    await user.end()
  }

  // MARK: Random scripts

  /// After each step every table equals the reference, which is made from the list of acknowledged writes.
  @Test(arguments: JournalEngine.allCases, 1...LongForm.count(6, long: 12) as ClosedRange<UInt64>)
  func `after any script exactly what was acknowledged is there`(engine: JournalEngine, seed: UInt64) async throws {
    let place = try JournalPlace(engine)
    var user = try await place.open()
    var script = Script(seed: seed)
    for step in 0..<80 {
      switch script.random.next(below: 8) {
      case 0:
        place.setFailing(true, user)
        user.send([Writes.record("a", 9_999)] + script.turn())
        #expect(user.next(1).first?.hasPrefix("failed") == true)
        place.setFailing(false, user)
        #expect(user.next(1) == ["recovered"])
        script.discard()
      case 1:
        await user.end()
        user = try await place.open()
        script.discard()
      case let count:
        for _ in 2..<count { user.send(script.turn()) }
        #expect(user.commit(script.turn()))
        script.commit()
      }
      for name in script.names {
        let stored = try user.table(name)
        #expect(stored == Reference.table(name, after: script.committed), "seed \(seed), step \(step), table \(name)")
      }
    }
    await user.end()
  }
}
