#if PostgreSQL
  import BaizeDriver
  import BaizeLaboratory
  import BaizeSync
  import BaizeTable
  import Foundation
  import TestSupport
  import Testing

  @testable import BaizeJournal

  /// What only a journal in PostgreSQL has: a server that may be gone, and other daemons.
  @Suite(.hangGuard, .dedicatedThreads, .enabled(if: PostgresServer.isInstalled, "needs postgresql-15"))
  struct PostgresTests {
    private let cluster: PostgresCluster

    init() throws { cluster = try PostgresCluster.shared.get() }

    private func open(
      _ place: PostgresServer.Database, _ durability: Durability = .strict, keep: UInt64? = nil
    ) async throws -> JournalUser {
      try await JournalUser(
        JournalThread(durability, retryNanoseconds: 10_000_000) {
          try PostgresJournal(place.database, for: .daemon, keepRevisions: keep)
        })
    }

    // MARK: Owners

    @Test func `a daemon that is started later takes over, and the former one writes nothing more`() async throws {
      let place: PostgresServer.Database = try cluster.makeDatabase()
      let first = try await open(place)
      #expect(first.commit(Writes.table("a") + [Writes.record("a", 1)]))
      let second = try await open(place)
      #expect(second.commit([Writes.record("a", 2)]))
      first.send([Writes.record("a", 2, bytes: 999)])
      #expect(first.next(1) == ["failed 1"])
      #expect(first.events.contains { $0.hasPrefix("failed, for good: another daemon has taken over") })
      #expect(second.commit([Writes.record("a", 3)]))
      let stored = try #require(try second.table("a"))
      #expect(stored.summary == "s0.0 r1 r2 r3" && stored.records[1].bytes.count == 40)
      await first.end()
      await second.end()
    }

    /// The stores themselves, so that the former daemon learns of the next one only when it writes.
    @Test func `a former daemon replaces no revocations, and the next one has read them`() throws {
      let place: PostgresServer.Database = try cluster.makeDatabase()
      let first = try PostgresJournal(place.database, for: .daemon)
      try first.commit([.revocations([1])])
      let second = try PostgresJournal(place.database, for: .daemon)
      #expect(try second.revocations() == [1])
      let error = #expect(throws: JournalError.self) { try first.commit([.revocations([2])]) }
      #expect(error?.kind == .superseded)
      #expect(try PostgresReader(place.database).revocations() == [1])
      try second.commit([.revocations([3])])
      #expect(try PostgresReader(place.database).revocations() == [3])
    }

    @Test func `a database from before gets a place for revocations when a daemon opens it`() async throws {
      let place: PostgresServer.Database = try cluster.makeDatabase()
      await (try await open(place)).end()
      _ = try cluster.query("drop table baize_revocation", in: place.name)
      #expect(try PostgresReader(place.database).revocations() == nil)
      // Several at once: one of them makes it.
      let opened = await withTaskGroup { group in
        for _ in 0..<4 {
          group.addTask { () -> JournalUser? in try? await open(place) }
        }
        return await group.reduce(into: [JournalUser]()) { users, user in if let user { users.append(user) } }
      }
      for user in opened { await user.end() }
      let user = try await open(place)
      #expect(user.revocationsAtOpening == nil && user.commit([.revocations([1])]))
      await user.end()
    }

    @Test func `damaged and too large revocations are errors in words`() async throws {
      let place: PostgresServer.Database = try cluster.makeDatabase()
      let user = try await open(place)
      #expect(user.commit([.revocations([1])]))
      await user.end()
      for (change, words) in [
        ("checksum = checksum + 1", "what is revoked of signed tokens"),
        ("document = convert_to(repeat('x', \(ServerLimits.revocationBytesMax + 1)), 'UTF8')", "more than"),
      ] {
        _ = try cluster.query("update baize_revocation set \(change)", in: place.name)
        let error = await #expect(throws: JournalError.self) { try await open(place) }
        #expect(error?.kind == .corrupt && error?.description.contains(words) == true, "\(String(describing: error))")
        #expect(throws: JournalError.self) { try PostgresReader(place.database).check() }
      }
    }

    @Test func `a daemon without anything to write learns that another has taken over`() async throws {
      let place: PostgresServer.Database = try cluster.makeDatabase()
      let first = try await open(place)
      let second = try await open(place)
      #expect(first.next(1) == ["failed 1"])
      await first.end()
      await second.end()
    }

    @Test func `a tool does not take the journal from a daemon, and gets it afterwards`() async throws {
      let place: PostgresServer.Database = try cluster.makeDatabase()
      let daemon = try await open(place)
      #expect(daemon.commit(Writes.table("a")))
      try waitForLease(place)
      refused("a daemon uses the journal") { () throws(JournalError) in
        _ = try PostgresJournal(place.database, for: .tool)
      }
      #expect(try PostgresReader(place.database).names() == ["a"])
      #expect(daemon.commit([Writes.record("a", 1)]))
      await daemon.end()
      try PostgresJournal(place.database, for: .tool).commit([.deletion("a")])
    }

    private func waitForLease(_ place: PostgresServer.Database) throws {
      try waitUntil(for: "a lease", step: { usleep(10_000) }) {
        try cluster.query("select count(expires_at) from baize_lease", in: place.name) == "1"
      }
    }

    // MARK: Lost answers

    /// Ends all connections to a database.
    private func cut(_ place: PostgresServer.Database) throws {
      try cluster.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = '\(place.name)'", in: "postgres")
    }

    /// I14: a commit whose answer is lost is there once, or not at all, and is then written.
    @Test func `commits whose connection is cut are there once`() async throws {
      let place: PostgresServer.Database = try cluster.makeDatabase()
      let user = try await open(place)
      #expect(user.commit(Writes.table("a")))
      let last: UInt64 = LongForm.count(60, long: 1_000)
      for number in 1...last {
        user.send([Writes.record("a", number)])
        // At some moment of the commit, or before or after it.
        try cut(place)
      }
      var answer = ""
      while answer != "acknowledged \(last + 1)" {
        answer = try #require(user.next(1).first)
        #expect(answer.hasPrefix("acknowledged"))
      }
      #expect(try user.table("a")?.records.map(\.number) == Array(1...last))
      await user.end()
    }

    /// I14: a commit that waits for a synchronous standby is in the database already. Then its connection is terminated, or the
    /// wait is cancelled, so that the commit's answer is lost.
    @Test(arguments: ["pg_terminate_backend", "pg_cancel_backend"])
    func `a commit that is there without an answer is found, and not written again`(end: String) async throws {
      let cluster = try PostgresCluster()
      let place: PostgresServer.Database = try cluster.makeDatabase()
      func setStandby(_ name: String) throws {
        try cluster.query("alter system set synchronous_standby_names = '\(name)'", in: "postgres")
        try cluster.query("select pg_reload_conf()", in: "postgres")
      }
      let user = try await open(place)
      #expect(user.commit(Writes.table("a")))
      var commits = 0
      for number in 1...4 as ClosedRange<UInt64> {
        try setStandby("nowhere")
        user.send([Writes.record("a", number)])
        // It may be a renewal of the lease, with the commit behind it, or before it if the server was late to read its settings.
        let waiting = "from pg_stat_activity where datname = '\(place.name)' and wait_event = 'SyncRep'"
        var query = ""
        try waitUntil(for: "a commit that waits", step: { usleep(10_000) }) {
          query = try cluster.query("select query \(waiting)", in: "postgres")
          return !query.isEmpty
        }
        if query.hasPrefix("insert into baize_log") {
          commits += 1
          #expect(user.answers(of: 0).isEmpty)
        }
        try cluster.query("select \(end)(pid) \(waiting)", in: "postgres")
        try setStandby("")
        #expect(user.next(1) == ["acknowledged \(number + 1)"])
      }
      #expect(commits > 0)
      if end == "pg_cancel_backend" { #expect(user.events.contains { $0.contains("did not wait for its standby") }) }
      #expect(try user.table("a")?.records.map(\.number) == Array(1...4))
      await user.end()
    }

    @Test func `a server that is killed or stopped is waited for, and nothing is lost or void`() async throws {
      let cluster = try PostgresCluster()
      let place: PostgresServer.Database = try cluster.makeDatabase()
      let user = try await open(place)
      #expect(user.commit(Writes.table("a")))
      for round in 0..<4 as Range<UInt64> {
        for number in 1...40 as ClosedRange<UInt64> {
          user.send([Writes.record("a", 40 * round + number)])
          if number == 20 { round.isMultiple(of: 2) ? cluster.kill() : cluster.stop() }
        }
        try cluster.start()
        var answer = ""
        while answer != "acknowledged \(40 * round + 41)" {
          answer = try #require(user.next(1).first)
          #expect(answer.hasPrefix("acknowledged"))
        }
      }
      #expect(try user.table("a")?.records.map(\.number) == Array(1...160))
      #expect(user.events.contains { $0.hasPrefix("failed, may pass: the journal in PostgreSQL does not answer") })
      await user.end()
    }

    @Test func `a database that has lost commits is noticed`() async throws {
      let place: PostgresServer.Database = try cluster.makeDatabase()
      let user = try await open(place)
      #expect(user.commit(Writes.table("a")) && user.commit([Writes.record("a", 1)]))
      // As a standby that was behind has it.
      try cluster.query(
        "delete from baize_turn where turn = (select max(turn) from baize_turn); delete from baize_log", in: place.name)
      try cut(place)
      user.send([Writes.record("a", 2)])
      #expect(user.next(1) == ["failed 1"])
      #expect(user.events.contains { $0.contains("has lost commits") } && user.events.contains("lost"))
      await user.end()
    }

    // MARK: Words

    @Test func `what keeps the journal from being opened is said in words`() throws {
      let place: PostgresServer.Database = try cluster.makeDatabase()
      func refusal(_ changes: [String: String], _ words: String) {
        refused(words) { () throws(JournalError) in
          _ = try PostgresJournal(
            PostgresDatabase(parameters: place.database.parameters.merging(changes) { $1 }), for: .daemon)
        }
      }
      refusal(["dbname": "nowhere"], "database \"nowhere\" does not exist")
      refusal(["user": "nobody"], "role \"nobody\" does not exist")
      refused("there is no journal in this database") { () throws(JournalError) in
        _ = try PostgresReader(place.database)
      }
      try cluster.query("create role guest login", in: place.name)
      refusal(["user": "guest"], "search_path")
      try cluster.query("alter role guest set default_transaction_read_only = on", in: place.name)
      refusal(["user": "guest"], "only lets this role read the database")
      _ = try PostgresJournal(place.database, for: .daemon)
      try cluster.query("update baize_format set version = 7", in: place.name)
      refusal([:], "has format 7, and this baized reads format 1")
    }

    @Test func `a password that is wrong or missing is said, and not which it was`() throws {
      let place: PostgresServer.Database = try cluster.makeDatabase()
      try cluster.query("create role \(PostgresCluster.guardedRole) login password 'right4'", in: place.name)
      func opening(_ changes: [String: String]) -> JournalError? {
        var parameters = place.database.parameters.merging(changes) { $1 }
        parameters["user"] = PostgresCluster.guardedRole
        do throws(JournalError) {
          _ = try PostgresReader(PostgresDatabase(parameters: parameters))
          return nil
        } catch {
          return error
        }
      }
      let wrong = opening(["password": "wrong4"])
      #expect(wrong?.kind == .unusable && wrong?.description.contains("password authentication failed") == true)
      #expect(wrong?.description.contains("wrong4") == false)
      let missing = opening(["passfile": "/nowhere"])
      #expect(missing?.description.contains("it is read from ~/.pgpass") == true, "\(String(describing: missing))")
      #expect(opening(["password": "right4"])?.description.contains("there is no journal in this database") == true)
    }

    @Test func `a server that is not there is unreachable at the start, so that a later start may succeed`() throws {
      let place: PostgresServer.Database = try cluster.makeDatabase()
      let nowhere = PostgresDatabase(parameters: place.database.parameters.merging(["host": "/nowhere"]) { $1 })
      do throws(JournalError) {
        _ = try PostgresJournal(nowhere, for: .daemon)
        Issue.record("there is no server")
      } catch {
        #expect(error.kind == .unreachable && error.description.contains("No such file or directory"))
      }
    }

    @Test func `a full disk of the server voids turns until there is room`() async throws {
      let place: PostgresServer.Database = try cluster.makeDatabase()
      let user = try await open(place)
      #expect(user.commit(Writes.table("a")))
      try cluster.query(
        """
        create function fill() returns trigger language plpgsql as
          $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
        create trigger fill before insert on baize_log execute function fill()
        """, in: place.name)
      user.send([Writes.record("a", 1)])
      #expect(user.next(2) == ["failed 1", "recovered"])
      #expect(
        user.events.contains { $0.contains("could not extend file") && $0.hasSuffix("the disk of the server is full") })
      try cluster.query("drop trigger fill on baize_log", in: place.name)
      #expect(user.commit([Writes.record("a", 1)]))
      #expect(try user.table("a")?.summary == "s0.0 r1")
      await user.end()
    }

    @Test func `a server that only lets read is waited for`() async throws {
      let place: PostgresServer.Database = try cluster.makeDatabase()
      let user = try await open(place)
      #expect(user.commit(Writes.table("a")))
      // As after a failover to a standby.
      try cluster.query("alter database \(place.name) set default_transaction_read_only = on", in: "postgres")
      try cut(place)
      user.send([Writes.record("a", 1)])
      try waitUntil(for: "a failure", step: { usleep(10_000) }) {
        user.events.contains { $0.contains("only lets this role read the database") }
      }
      try cluster.query("alter database \(place.name) reset default_transaction_read_only", in: "postgres")
      #expect(user.next(1) == ["acknowledged 2"])
      await user.end()
    }

    @Test func `too many connections are an error that passes`() async throws {
      let place: PostgresServer.Database = try cluster.makeDatabase()
      let user = try await open(place)
      #expect(user.commit(Writes.table("a")))
      try cluster.query("alter database \(place.name) allow_connections false", in: "postgres")
      try cut(place)
      user.send([Writes.record("a", 1)])
      try waitUntil(for: "a failure", step: { usleep(10_000) }) {
        user.events.contains { $0.contains("not currently accepting connections") }
      }
      try cluster.query("alter database \(place.name) allow_connections true", in: "postgres")
      #expect(user.next(1) == ["acknowledged 2"])
      await user.end()
    }

    // MARK: Retention

    @Test func `history is kept as in a file`() throws {
      let folder = try TemporaryFolder()
      let place: PostgresServer.Database = try cluster.makeDatabase()
      let file = try SQLiteJournal(path: folder.path("journal"), keepRevisions: 25)
      let journal = try PostgresJournal(place.database, for: .daemon, keepRevisions: 25)
      for store in [file, journal] as [any JournalStore] {
        try store.commit(Writes.table("a"))
        for number in 1...95 as ClosedRange<UInt64> {
          let snapshot = number % 10 == 0 ? [Writes.snapshot("a", record: number, revision: number)] : []
          try store.commit([Writes.record("a", number)] + snapshot)
        }
      }
      let reader = try PostgresReader(place.database)
      #expect(try steps(reader).first == "s60" && reader.check().records == 35)
      #expect(try steps(reader) == steps(JournalReader(path: folder.path("journal"))))
      #expect(try reader.tables().map(\.revision) == [Revision(rawValue: 95)])
      #expect(try cluster.query("select count(*) from baize_log", in: place.name) == "35")
    }

    private func steps(_ journal: any StoredJournal) throws -> [String] {
      let history = try #require(try journal.history(ofTable: "a"))
      var steps: [String] = []
      while let step = try history.next() {
        switch step {
        case .snapshot(let parts): steps.append("s\(parts[0].record)")
        case .record(let record): steps.append("r\(record.number)")
        }
      }
      return steps
    }

    @Test func `deleted tables are freed step by step, and leave nothing`() throws {
      let place: PostgresServer.Database = try cluster.makeDatabase()
      let journal = try PostgresJournal(place.database, for: .daemon)
      try journal.commit(Writes.table("a") + (1...3_000).map { Writes.record("a", $0) } + Writes.table("b"))
      try journal.commit([.deletion("a")])
      var steps = 0
      while try journal.tidy() { steps += 1 }
      #expect(steps >= 3)
      #expect(
        try cluster.query(
          "select (select count(*) from baize_log), (select count(*) from baize_part), (select count(*) from baize_deleted)",
          in: place.name) == "0|1|0")
    }

    // MARK: Copies

    @Test func `a copy to PostgreSQL and back has every step of the history`() throws {
      let folder = try TemporaryFolder()
      let place: PostgresServer.Database = try cluster.makeDatabase()
      let path = folder.path("journal")
      do {
        let file = try SQLiteJournal(path: path, keepRevisions: 15)
        try file.commit(Writes.table("a"))
        for number in 1...40 as ClosedRange<UInt64> {
          let snapshot = number % 10 == 0 ? [Writes.snapshot("a", record: number, revision: number)] : []
          try file.commit([Writes.record("a", number)] + snapshot)
        }
        _ = try file.accessKey(orNew: AccessKey(high: 1, low: 2))
        try file.commit([.revocations([1, 2])])
      }
      let source = try JournalReader(path: path)
      do {
        let target = try PostgresJournal(place.database, for: .daemon)
        #expect(try JournalCopy.copy(source, to: target).records == 20)
        refused("a copy replaces nothing") { () throws(JournalError) in
          _ = try JournalCopy.copy(source, to: target)
        }
      }
      let back = try SQLiteJournal(path: folder.path("back"))
      _ = try JournalCopy.copy(try PostgresReader(place.database), to: back)
      let (first, second) = (try #require(try source.table(named: "a")), try #require(try back.table(named: "a")))
      #expect(first.definition == second.definition)
      #expect(first.snapshot.map(\.bytes) == second.snapshot.map(\.bytes))
      #expect(first.records.map(\.bytes) == second.records.map(\.bytes))
      #expect(try back.accessKey(orNew: AccessKey(high: 9, low: 9)) == source.accessKey())
      #expect(try back.revocations() == [1, 2])
    }
  }
#endif
