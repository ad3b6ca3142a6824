import BaizeDriver
import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport
import BaizeWire
import Synchronization
import TestSupport
import Testing

@testable import BaizeServer

/// The journal's thread alone: the turns that shards send to it, and its answers.
@Suite(.hangGuard) struct JournalWriterTests {
  private static let full = JournalError(.storage, "there is no room on the disk")

  @Test func `turns that arrive during a commit go into the next one, and each shard is notified once`() async throws {
    let writer = try await TestWriter(shards: 2)
    try await writer.stall()
    for turn in 2...5 as ClosedRange<UInt64> { writer.send(turn, records: ["a"], from: 0) }
    writer.send(1, records: ["b"], from: 1)
    #expect(writer.answers(of: 0).isEmpty && writer.script.commits.isEmpty)
    writer.script.release()
    #expect(writer.next(2, of: 0) == ["committed 1", "committed 5"])
    #expect(writer.next(1, of: 1) == ["committed 1"])
    #expect(writer.script.commits.map(\.count) == [1, 5])
    await writer.end()
    let statistics = writer.journal.statistics.withLock { $0 }
    #expect(statistics.commits == 2 && statistics.turns == 6 && statistics.rows == 6 && statistics.bytes == 60)
    #expect(statistics.commitDurations.count == 2)
  }

  /// I11: the first shard has sent much more than a commit takes.
  @Test func `a commit is bounded, so that no shard waits for all that another has sent`() async throws {
    let writer = try await TestWriter(shards: 2)
    try await writer.stall()
    let count = 20 as UInt64
    for turn in 2...count { writer.send(turn, records: ["a"], from: 0, bytes: ServerLimits.commitBytesMax / 2) }
    writer.send(1, records: ["b"], from: 1)
    writer.script.release()
    #expect(writer.next(1, of: 1) == ["committed 1"])
    var answers: [String] = []
    while answers.last != "committed \(count)" { answers.append(try #require(writer.next(1, of: 0).first)) }
    #expect(answers.count > Int(count) / 4, "what was committed is reported at once")
    let sizes = writer.script.commits.map(\.count)
    #expect(sizes.max() ?? 0 <= 3 && sizes.reduce(0, +) == Int(count) + 1)
    let other = writer.script.commits.firstIndex { $0.contains { $0.tableName == "b" } }
    #expect(other == 1, "in the next commit")
    await writer.end()
  }

  @Test func `all that was sent is committed before the thread ends, however many commits that takes`() async throws {
    let writer = try await TestWriter(shards: 1)
    writer.script.shut()
    for turn in 1...9 as ClosedRange<UInt64> {
      writer.send(turn, records: ["a"], from: 0, bytes: ServerLimits.commitBytesMax)
    }
    writer.script.release()
    await writer.end()
    #expect(writer.script.commits.joined().count == 9 && writer.script.commits.count == 9)
    #expect(!writer.hasLost)
  }

  @Test func `under strict a failed commit voids its turns and those sent before the shards were notified`()
    async throws
  {
    let writer = try await TestWriter(shards: 2)
    writer.script.shut()
    writer.script.fail(Self.full)
    writer.send(1, records: ["a"], from: 0)
    try await writer.untilCommitWaits()
    writer.send(2, records: ["a"], from: 0)
    writer.script.release()
    #expect(writer.next(1, of: 0) == ["failed 1"])
    #expect(writer.next(1, of: 1) == ["failed 1"])
    // This shard has not received the failure yet. Its load is answered all the same.
    writer.send(1, records: ["b"], from: 1, loads: ["b"])
    #expect(writer.next(1, of: 1) == ["no b"])
    writer.script.fail(nil)
    #expect(writer.next(1, of: 0) == ["recovered"])
    #expect(writer.next(1, of: 1) == ["recovered"])
    #expect(writer.script.commits.isEmpty)
    writer.send(3, records: ["a"], from: 0, generation: 1)
    #expect(writer.next(1, of: 0) == ["committed 3"])
    #expect(writer.script.commits.map(\.count) == [1])
    await writer.end()
    #expect(
      writer.log == ["error: the journal cannot be written, so no operation is judged until it can: \(Self.full)"]
        + ["warning: the journal can be written again"], "once each, however often it was tried")
  }

  @Test func `under relaxed turns of a failed commit are kept, and tables that they change are read after them`()
    async throws
  {
    let writer = try await TestWriter(shards: 1, .relaxed)
    writer.script.fail(Self.full)
    writer.send(1, records: ["a"], from: 0)
    #expect(writer.next(1, of: 0) == ["failed 0"])
    writer.send(2, records: ["a"], from: 0, loads: ["a", "b"])
    #expect(writer.next(1, of: 0) == ["no b"])
    writer.script.fail(nil)
    #expect(writer.next(3, of: 0) == ["committed 2", "recovered", "no a"])
    #expect(writer.script.commits.map(\.count) == [2])
    await writer.end()
  }

  /// No row is: records are divided, and an entry and a part of a snapshot are bounded by the limits of a frame.
  @Test func `I8: under relaxed a turn that can never be written is not tried again and again`() async throws {
    let writer = try await TestWriter(shards: 1, .relaxed)
    let error = JournalError(.tooLarge, "a row is too large")
    writer.script.fail(error)
    writer.send(1, records: ["a"], from: 0)
    #expect(writer.next(1, of: 0) == ["failed 0"])
    writer.script.fail(nil)
    writer.send(2, from: 0, loads: ["b"])
    #expect(writer.next(1, of: 0) == ["no b"], "and not that it has recovered")
    #expect(writer.hasLost)
    await writer.end()
    let until = "any more, until the daemon is started again"
    #expect(writer.log.first == "error: the journal cannot be written, so no operation is judged \(until): \(error)")
  }

  @Test func `I8: under strict a turn that can never be written is void, and what follows it is written`() async throws
  {
    let writer = try await TestWriter(shards: 1)
    let error = JournalError(.tooLarge, "a row is too large")
    writer.script.fail(error)
    writer.send(1, records: ["a"], from: 0)
    #expect(writer.next(1, of: 0) == ["failed 1"])
    writer.script.fail(nil)
    #expect(writer.next(1, of: 0) == ["recovered"])
    writer.send(2, records: ["a"], from: 0, generation: 1)
    #expect(writer.next(1, of: 0) == ["committed 2"])
    #expect(!writer.hasLost && writer.script.commits.map(\.count) == [1])
    await writer.end()
  }

  @Test func `I7: a commit to a file that is gone by then is not reported`() async throws {
    let writer = try await TestWriter(shards: 1)
    try await writer.stall()
    writer.script.lose(JournalError(.corrupt, "the file was deleted"))
    writer.script.release()
    #expect(writer.next(1, of: 0) == ["failed 1"])
    await writer.end()
  }

  @Test func `turns that a full disk did not store are reported at the end`() async throws {
    let writer = try await TestWriter(shards: 1, .relaxed)
    writer.script.fail(Self.full)
    for turn in 1...3 as ClosedRange<UInt64> { writer.send(turn, records: ["a"], from: 0) }
    #expect(writer.next(1, of: 0) == ["failed 0"])
    await writer.end()
    #expect(writer.log.last == "error: 3 turns could not be written to the journal before the end")
  }

  @Test func `no commit waits for a table that is read`() async throws {
    let writer = try await TestWriter(shards: 1)
    writer.script.shutReading()
    writer.send(1, TestWriter.making("a"), from: 0, loads: ["a"])
    #expect(writer.next(1, of: 0) == ["committed 1"])
    for turn in 2...9 as ClosedRange<UInt64> {
      writer.send(turn, records: ["b"], from: 0)
      #expect(writer.next(1, of: 0) == ["committed \(turn)"])
    }
    writer.script.releaseReading()
    #expect(writer.next(1, of: 0) == ["table a"])
    await writer.end()
  }

  @Test func `I8: a table is charged while it is decoded`() async throws {
    let writer = try await TestWriter(shards: 1, memoryBytesMax: 100)
    writer.send(1, TestWriter.making("a"), from: 0, loads: ["a"])
    #expect(Set(writer.next(2, of: 0)) == ["committed 1", "table a"])
    await writer.end()
    #expect(writer.log.count == 1)
    #expect(writer.log[0].contains("are charged, so that the connections that use the most are disconnected"))
  }

  @Test func `a table is read after the turn that requests it`() async throws {
    let writer = try await TestWriter(shards: 1)
    writer.send(1, TestWriter.making("a"), from: 0, loads: ["a", "nowhere"])
    #expect(Set(writer.next(3, of: 0)) == ["committed 1", "table a", "no nowhere"])
    #expect(writer.journal.statistics.withLock { $0.tablesLoaded } == 1)
    await writer.end()
  }

  /// More than are decoded at once, requested in one turn.
  @Test func `a thousand tables are loaded without delaying a commit`() async throws {
    let writer = try await TestWriter(shards: 1)
    let names = (0..<1_000).map { "t\($0)" }
    for (number, name) in names.enumerated() { writer.send(UInt64(number + 1), TestWriter.making(name), from: 0) }
    let late = TestWriter.making("late")
    writer.send(1_001, from: 0, loads: names)
    writer.send(1_002, late, from: 0)
    var answers: [String] = []
    while answers.count(where: { $0.hasPrefix("table") }) < names.count {
      answers.append(try #require(writer.next(1, of: 0).first))
    }
    #expect(Set(answers).isSuperset(of: names.map { "table \($0)" }))
    let committed = try #require(answers.firstIndex(of: "committed 1002"))
    let before = answers[..<committed].count { $0.hasPrefix("table") }
    #expect(before < 500, "the commit followed \(before) tables")
    await writer.end()
  }

  @Test func `all sent turns are durable and the journal is closed before the thread ends`() async throws {
    let writer = try await TestWriter(shards: 2)
    writer.script.shut()
    for turn in 1...50 as ClosedRange<UInt64> { writer.send(turn, records: ["a"], from: Int(turn % 2)) }
    #expect(writer.script.isOpen)
    writer.script.release()
    await writer.end()
    #expect(writer.script.commits.joined().count == 50 && !writer.script.isOpen)
  }

  @Test func `a journal that cannot be opened gives its error`() async throws {
    let error = JournalError(.unusable, "'x' is no journal")
    var configuration = ServerConfiguration()
    configuration.address = .loopback(port: 0)
    configuration.openJournal = { throw error }
    let thrown = await #expect(throws: JournalError.self) { _ = try await Server.start(configuration) }
    #expect(thrown == error)
  }
}

/// A writer's thread with the endpoints of shards that do not run.
private final class TestWriter {
  let script = JournalScript()
  let journal: JournalEndpoint
  private let shards: [ShardEndpoint]
  private let thread: LoopThread
  private let workers: TableWorkers
  private let lines: LogLines
  /// The messages of each shard's mailbox that the test has not read yet.
  private var waiting: [[String]]

  init(shards count: Int, _ durability: Durability = .strict, memoryBytesMax: Int = 1 << 30) async throws {
    let endpoints = try (0..<count).map(ShardEndpoint.init)
    let endpoint = try JournalEndpoint()
    let lines = LogLines()
    let workers = try TableWorkers()
    var configuration = ServerConfiguration()
    configuration.durability = durability
    configuration.journalRetryNanoseconds = 10_000_000
    configuration.openJournal = { [script] in script.open() }
    configuration.log = Log(.warning) { lines.append($0) }
    thread = try LoopThread(name: "journal") { [configuration, workers] in
      let account = MemoryAccount(bytesMax: memoryBytesMax, shards: endpoints.count, log: configuration.log)
      JournalWriter.run(endpoint, for: endpoints, workers, configuration, account)
    }
    shards = endpoints
    journal = endpoint
    self.lines = lines
    self.workers = workers
    waiting = Array(repeating: [], count: count)
    _ = try await endpoint.opened.value().get()
  }

  /// Without the times.
  var log: [String] { lines.all.map { String($0.drop { $0 != " " }.dropFirst().dropLast()) } }

  func send(
    _ turn: UInt64, _ writes: [JournalWrite] = [], records tables: [String] = [], from shard: Int, generation: Int = 0,
    loads: [String] = [], bytes: Int? = nil
  ) {
    let writes = writes + tables.map { .record(JournalRecord(table: $0, number: turn, revision: .zero, bytes: [])) }
    journal.mailbox.send(
      .turn(
        JournalTurn(
          shard: shard, generation: generation, number: TurnNumber(rawValue: turn), writes: writes,
          loads: loads.map { JournalTurn.Load(table: $0, bytesMax: .max) },
          bytes: bytes ?? 10 * writes.count)))
  }

  /// The writes of a shard that creates a table.
  static func making(_ table: String) -> [JournalWrite] {
    let host = ShardHost(ShardHostOptions(), MemoryJournal())
    let now = Instant(nanoseconds: 0)
    let connection = host.connect(slot: 0, at: now)
    host.receive(.hello(Hello(table: table, tableType: "list?items=3")), on: connection, at: now)
    _ = host.endTurn()
    while host.canLoad { _ = try? host.load(at: now) }
    return host.endTurn()?.writes ?? []
  }

  var hasLost: Bool { journal.hasLost.load(ordering: .relaxed) }

  func untilCommitWaits() async throws { #expect(try await eventually { script.isWaiting }) }

  /// The commit of a first turn of shard 0 begins, and does not end before it is released.
  func stall() async throws {
    script.shut()
    send(1, records: ["a"], from: 0)
    try await untilCommitWaits()
  }

  /// The messages to a shard that the test has not read.
  func answers(of shard: Int) -> [String] {
    var mail: [ShardMessage] = []
    shards[shard].mailbox.drain(into: &mail)
    waiting[shard] += mail.map(\.text)
    return waiting[shard]
  }

  /// Returns the next messages; fewer if they do not arrive.
  func next(_ count: Int, of shard: Int) -> [String] {
    let end = MonotonicClock.now() + HangGuard.nanoseconds
    while answers(of: shard).count < count, MonotonicClock.now() < end {
      shards[shard].waker.wait(nanoseconds: 1_000_000_000)
    }
    let answers = Array(waiting[shard].prefix(count))
    waiting[shard].removeFirst(answers.count)
    return answers
  }

  func end() async {
    for _ in shards { journal.mailbox.send(.left) }
    await journal.ended.valueDespiteCancellation()
    thread.join()
    workers.stop()
  }
}

extension ShardMessage {
  fileprivate var text: String {
    switch self {
    case .journal(.committed(let turn, _)): "committed \(turn.rawValue)"
    case .journal(.loaded(let table, .success(nil))): "no \(table)"
    case .journal(.loaded(let table, .success)): "table \(table)"
    case .journal(.loaded(let table, .failure(let error))): "cannot load \(table): \(error)"
    case .journal(.storageFailed(_, let generation)): "failed \(generation)"
    case .journal(.storageRecovered): "recovered"
    case .journal(.expired(let table)): "expired \(table)"
    case .adopt, .made, .operation, .reload, .shutDown: "something else"
    }
  }
}
