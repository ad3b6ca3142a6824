#if PostgreSQL
  import BaizeDriver
  import BaizeLaboratory
  import BaizeSync
  import BaizeTransport
  import Foundation
  import Synchronization
  import TestSupport
  import Testing

  @testable import BaizeJournal

  /// Several daemons with one journal, of which one has it while the others wait.
  @Suite(.hangGuard, .dedicatedThreads, .enabled(if: PostgresServer.isInstalled, "needs postgresql-15"))
  struct NodeTests {
    private let cluster: PostgresCluster
    private let place: PostgresServer.Database

    init() throws {
      cluster = try PostgresCluster.shared.get()
      place = try cluster.makeDatabase()
    }

    /// A node, and what it says.
    private final class Member: Sendable {
      let node: JournalNode
      private let said: Saying

      private final class Saying: Sendable { let lines = Mutex<[String]>([]) }

      init(_ name: String) {
        let said = Saying()
        self.said = said
        node = JournalNode(name) { line in said.lines.withLock { $0.append(line) } }
      }

      var lines: [String] { said.lines.withLock { $0 } }
    }

    /// Opens the journal as a node, on a thread as a daemon does, which renews the lease.
    private func open(_ member: Member, at place: PostgresServer.Database? = nil) async throws -> JournalUser {
      let database = (place ?? self.place).database
      return try await JournalUser(
        JournalThread(.strict, retryNanoseconds: 10_000_000) { try PostgresJournal(database, for: .node(member.node)) })
    }

    /// Begins to open it, and waits until the node says that it waits.
    private func wait(_ member: Member) async throws -> Task<JournalUser, any Error> {
      let opening = Task { try await open(member) }
      while member.lines.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
      return opening
    }

    // MARK: The watch

    /// A lease may be taken once it has not changed for three seconds between the first answer and a later question.
    @Test func `a lease is its holder's until it has not changed for long`() {
      let second: UInt64 = 1_000_000_000
      var lease = PostgresLease(epoch: 4, holder: 9, node: "a", end: 100, hasEnded: true)
      var watch = PostgresLeaseWatch(for: "b")
      func looks(_ asked: Double, _ answered: Double) -> Bool {
        watch.mayTake(lease, asked: UInt64(asked * Double(second)), answered: UInt64(answered * Double(second)))
      }
      #expect(!looks(0, 1), "that it has ended by the server's clock counts for nothing")
      lease.hasEnded = false
      #expect(!looks(3.9, 5), "three seconds after the question, and not after the answer")
      #expect(looks(4, 4))
      lease.end += 1
      #expect(!looks(5, 5), "it was renewed")
      #expect(!looks(7.9, 7.9))
      lease.epoch += 1
      #expect(!looks(8.1, 8.1), "its holder has connected again")
      #expect(looks(11.1, 11.1))
      watch.forget()
      #expect(!looks(20, 20), "nobody could renew it while the server was away")
      #expect(looks(23, 23))
      lease.holder = 0
      #expect(looks(23, 23), "it was given up")
      (lease.holder, lease.node) = (1, "b")
      #expect(looks(23, 23), "it is an earlier start's of the same name")
    }

    @Test(arguments: [
      ("a", true), ("node-1.example_2", true), ("", false), ("a b", false), ("é", false), ("a'", false),
    ])
    func `names are letters, digits, points, hyphens and underscores`(name: String, isName: Bool) {
      #expect(JournalNode.isName(name) == isName)
      #expect(!JournalNode.isName(String(repeating: "a", count: JournalNode.nameBytesMax + 1)))
    }

    // MARK: Waiting

    @Test func `a node waits as long as another renews its lease, and has the journal when it is given up`()
      async throws
    {
      let (a, b) = (Member("a"), Member("b"))
      let first = try await open(a)
      #expect(first.commit(Writes.table("t")))
      let opening = try await wait(b)
      #expect(b.lines == ["node 'a' has the journal in PostgreSQL; this node, 'b', waits and listens nowhere"])
      // Longer than a lease.
      try await Task.sleep(for: .seconds(4))
      #expect(first.commit([Writes.record("t", 1)]) && b.lines.count == 1)
      await first.end()
      let second = try await opening.value
      #expect(second.commit([Writes.record("t", 2)]))
      #expect(try second.table("t")?.summary == "s0.0 r1 r2")
      await second.end()
      #expect(try cluster.query("select holder from baize_lease", in: place.name) == "0", "it is given up")
    }

    @Test func `a node takes over from one that is gone, which writes nothing more`() async throws {
      // It renews nothing, as a process that was suspended.
      let gone = try PostgresJournal(place.database, for: .node(Member("a").node))
      try gone.commit(Writes.table("t"))
      let b = Member("b")
      let begun = MonotonicClock.now()
      let second = try await open(b)
      #expect(MonotonicClock.now() - begun >= JournalNode.leaseNanoseconds)
      #expect(second.commit([Writes.record("t", 1)]))
      do throws(JournalError) {
        try gone.commit([Writes.record("t", 1, bytes: 999)])
        Issue.record("it has written")
      } catch {
        #expect(error.kind == .leaseLost && error.description == "node 'b' has taken over the journal in PostgreSQL")
      }
      #expect(try second.table("t")?.summary == "s0.0 r1")
      await second.end()
    }

    @Test func `an earlier start of the same name gives way at once`() async throws {
      let first = try await open(Member("a"))
      #expect(first.commit(Writes.table("t")))
      let again = Member("a")
      let second = try await open(again)
      #expect(second.commit([Writes.record("t", 1)]))
      #expect(again.lines == ["node 'a' has the journal in PostgreSQL now"], "it has not waited")
      await second.end()
      #expect(first.next(1) == ["failed 1"])
      #expect(first.events.contains { $0.hasPrefix("failed, for good: another daemon has taken over") })
      #expect(!first.events.contains("lost"))
      await first.end()
    }

    @Test func `of several that wait one has the journal, and the others go on waiting`() async throws {
      let first = try await open(Member("a"))
      let members = ["b", "c", "d"].map(Member.init)
      var openings: [Task<JournalUser, any Error>] = []
      for member in members { openings.append(try await wait(member)) }
      await first.end()
      func owners() -> [Int] {
        members.indices.filter { members[$0].lines.contains { $0.hasSuffix("has the journal in PostgreSQL now") } }
      }
      while owners().isEmpty { try await Task.sleep(for: .milliseconds(5)) }
      let owner = try #require(owners().first)
      let user = try await openings[owner].value
      // They have seen the new lease.
      let said = "node '\(members[owner].node.name)' has the journal in PostgreSQL; this node"
      for index in members.indices where index != owner {
        while members[index].lines.last?.hasPrefix(said) != true { try await Task.sleep(for: .milliseconds(5)) }
      }
      #expect(owners() == [owner] && user.commit(Writes.table("t")))
      for index in members.indices where index != owner {
        members[index].node.stopWaiting()
        do {
          _ = try await openings[index].value
          Issue.record("it has the journal, too")
        } catch {
          #expect((error as? JournalError)?.kind == .cancelled)
        }
      }
      await user.end()
    }

    @Test func `a transaction that a node has left open does not keep others from the journal`() async throws {
      let gone = try PostgresJournal(place.database, for: .node(Member("a").node))
      try gone.commit(Writes.table("t"))
      let statement = "select 1 from baize_lease where id = 1 for share; select pg_sleep(600)"
      let name = place.name
      let transaction = Task.detached { [cluster] in try? cluster.query(statement, in: name) }
      try waitUntil(for: "the transaction", step: { usleep(10_000) }) {
        try cluster.query(
          "select count(*) from pg_stat_activity where datname = '\(name)' and wait_event = 'PgSleep'", in: "postgres")
          == "1"
      }
      let second = try await open(Member("b"))
      #expect(second.commit([Writes.record("t", 1)]))
      #expect(await transaction.value == nil, "it was ended")
      await second.end()
    }

    // MARK: The end of what is shown

    @Test func `what a node shows ends before another one may have the journal`() {
      let node = JournalNode("a") { _ in }
      #expect(!node.isOverdue, "it has no lease yet")
      let now = ElapsedClock.now()
      node.renewed(at: now - JournalNode.shownNanoseconds)
      #expect(node.isOverdue)
      node.renewed(at: now + 1_000_000_000_000)
      #expect(!node.isOverdue)
      #expect(JournalNode.shownNanoseconds <= JournalNode.leaseNanoseconds - 500_000_000)
    }

    /// I14: nobody renews a lease whose server is away.
    @Test func `a node whose renewals are not answered is overdue before its lease ends`() async throws {
      let cluster = try PostgresCluster()
      let place: PostgresServer.Database = try cluster.makeDatabase()
      let a = Member("a")
      let user = try await open(a, at: place)
      #expect(user.commit(Writes.table("t")) && !a.node.isOverdue)
      cluster.stop()
      while !a.node.isOverdue { try await Task.sleep(for: .milliseconds(5)) }
      try cluster.start()
      // Nobody else was there: it has the journal still.
      while a.node.isOverdue { try await Task.sleep(for: .milliseconds(5)) }
      #expect(user.commit([Writes.record("t", 1)]))
      await user.end()
    }

    @Test func `a node that waits outlives its server`() async throws {
      let cluster = try PostgresCluster()
      let place: PostgresServer.Database = try cluster.makeDatabase()
      let (a, b) = (Member("a"), Member("b"))
      let first = try await open(a, at: place)
      #expect(first.commit(Writes.table("t")))
      let opening = Task { try await open(b, at: place) }
      while b.lines.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
      cluster.kill()
      while b.lines.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
      #expect(b.lines[1].contains("does not answer") && b.lines[1].hasSuffix("this node, 'b', waits"))
      try cluster.start()
      #expect(first.commit([Writes.record("t", 1)]))
      await first.end()
      let second = try await opening.value
      #expect(try second.table("t")?.summary == "s0.0 r1")
      await second.end()
    }
  }
#endif
