import BaizeLaboratory
import BaizeSync
import BaizeTable
import TestSupport
import Testing

@testable import BaizeJournal

/// The thread of a journal whose store commits synchronously: how it groups turns, and what it does when its disk fails.
@Suite(.hangGuard, .dedicatedThreads) struct JournalThreadTests {
  private static let full = JournalError(.storage, "there is no room on the disk")
  private static let tooLarge = JournalError(.tooLarge, "a row is too large")

  private let script = JournalScript()

  private func open(shards: Int = 1, _ durability: Durability = .strict) async throws -> JournalUser {
    let journal = try JournalThread(durability, retryNanoseconds: 10_000_000) { [script] in script.open() }
    return try await JournalUser(journal, shards: shards)
  }

  /// A turn of one record.
  private static func turn(_ table: String = "a", bytes: Int = 10) -> [JournalWrite] {
    [Writes.record(table, 1, bytes: bytes)]
  }

  private func untilCommitWaits() async throws {
    while !script.isWaiting { try await Task.sleep(for: .milliseconds(1)) }
  }

  /// Sends the first turn of shard 0, whose commit does not end before it is released.
  private func stall(_ user: JournalUser) async throws {
    script.shut()
    user.send(Self.turn())
    try await untilCommitWaits()
  }

  // MARK: Groups

  @Test func `turns that arrive during a commit go into the next one, and each shard is answered once`() async throws {
    let user = try await open(shards: 2)
    try await stall(user)
    for _ in 2...5 { user.send(Self.turn()) }
    user.send(Self.turn("b"), from: 1)
    #expect(user.answers(of: 0).isEmpty && script.commits.isEmpty)
    script.release()
    #expect(user.next(2) == ["acknowledged 1", "acknowledged 5"])
    #expect(user.next(1, of: 1) == ["acknowledged 1"])
    #expect(script.commits.map(\.count) == [1, 5])
    await user.end()
    #expect(
      user.events == [
        "committed 1 turns, 1 writes, 10 bytes", "committed 5 turns, 5 writes, 50 bytes", "ended without 0 turns",
      ])
  }

  /// I11: the first shard has sent much more than a commit takes.
  @Test func `a commit is bounded, so that no shard waits for all that another has sent`() async throws {
    let user = try await open(shards: 2)
    try await stall(user)
    let count = 20
    for _ in 2...count { user.send(Self.turn(bytes: ServerLimits.commitBytesMax / 2)) }
    user.send(Self.turn("b"), from: 1)
    script.release()
    #expect(user.next(1, of: 1) == ["acknowledged 1"])
    var answers: [String] = []
    while answers.last != "acknowledged \(count)" { answers.append(try #require(user.next(1).first)) }
    #expect(answers.count > count / 4, "what was committed is answered at once")
    let sizes = script.commits.map(\.count)
    #expect(sizes.max() ?? 0 <= 3 && sizes.reduce(0, +) == count + 1)
    #expect(script.commits.firstIndex { $0.contains { $0.tableName == "b" } } == 1, "in the next commit")
    await user.end()
  }

  @Test func `a thousand tables are asked for without delaying a commit`() async throws {
    let user = try await open()
    let names = (0..<1_000).map { "t\($0)" }
    #expect(user.commit(names.flatMap { Writes.table($0) }))
    user.send([], loads: names)
    user.send(Self.turn())
    var answers: [String] = []
    while answers.count <= names.count { answers.append(try #require(user.next(1).first)) }
    let committed = try #require(answers.firstIndex { $0.hasPrefix("acknowledged") })
    #expect(committed < 500, "the commit followed \(committed) tables")
    await user.end()
  }

  @Test func `all that was sent is committed before the journal ends, however many commits that takes`() async throws {
    let user = try await open()
    script.shut()
    for _ in 1...9 { user.send(Self.turn(bytes: ServerLimits.commitBytesMax)) }
    script.release()
    await user.end()
    #expect(script.commits.count == 9 && script.commits.allSatisfy { $0.count == 1 } && !script.isOpen)
    #expect(user.events.last == "ended without 0 turns")
  }

  // MARK: Failures

  @Test func `under strict a failed commit voids its turns and those sent before the shards knew`() async throws {
    let user = try await open(shards: 2)
    script.shut()
    script.fail(Self.full)
    user.send(Self.turn())
    try await untilCommitWaits()
    user.send(Self.turn())
    script.release()
    #expect(user.next(1) == ["failed 1"])
    #expect(user.next(1, of: 1) == ["failed 1"])
    // This shard does not know yet. Its load is answered all the same.
    user.send(Self.turn("b"), from: 1, loads: ["b"], generation: 0)
    #expect(user.next(1, of: 1) == ["no b"])
    script.fail(nil)
    #expect(user.next(1) == ["recovered"])
    #expect(user.next(1, of: 1) == ["recovered"])
    #expect(script.commits.isEmpty)
    #expect(user.commit(Self.turn()))
    #expect(script.commits.map(\.count) == [1])
    await user.end()
    #expect(user.events.prefix(2) == ["failed, may pass: \(Self.full)", "recovered"], "once each, however often tried")
  }

  @Test func `under relaxed turns of a failed commit are kept, and tables that they change are read after them`()
    async throws
  {
    let user = try await open(.relaxed)
    script.fail(Self.full)
    user.send(Writes.table("a"))
    #expect(user.next(1) == ["failed 0"])
    user.send(Self.turn(), loads: ["a", "b"])
    #expect(user.next(1) == ["no b"])
    script.fail(nil)
    #expect(user.next(3) == ["acknowledged 2", "recovered", "table a: s0.0 r1"])
    #expect(script.commits.map(\.count) == [3])
    await user.end()
  }

  /// No row is: records are divided, and an entry and a part of a snapshot are bounded by the limits of a frame.
  @Test func `I8: under relaxed a turn that can never be written is not tried again and again`() async throws {
    let user = try await open(.relaxed)
    script.fail(Self.tooLarge)
    user.send(Self.turn())
    #expect(user.next(1) == ["failed 0"])
    script.fail(nil)
    user.send([], loads: ["b"])
    #expect(user.next(1) == ["no b"], "and not that it has recovered")
    await user.end()
    #expect(user.events.prefix(2) == ["lost", "failed, for good: \(Self.tooLarge)"])
  }

  @Test func `I8: under strict a turn that can never be written is void, and what follows it is written`() async throws
  {
    let user = try await open()
    script.fail(Self.tooLarge)
    user.send(Self.turn())
    #expect(user.next(1) == ["failed 1"])
    script.fail(nil)
    #expect(user.next(1) == ["recovered"])
    #expect(user.commit(Self.turn()) && script.commits.map(\.count) == [1])
    await user.end()
    #expect(!user.events.contains("lost"))
  }

  // MARK: A storage that does not answer

  private static let away = JournalError(.unreachable, "nobody answers")

  private func untilEvent(_ event: String, of user: JournalUser) async throws {
    while !user.events.contains(event) { try await Task.sleep(for: .milliseconds(1)) }
  }

  @Test(arguments: [Durability.strict, .relaxed])
  func `while a storage does not answer nothing is void, and each new reason is reported`(
    durability: Durability
  ) async throws {
    let user = try await open(durability)
    script.fail(Self.away)
    user.send(Self.turn())
    try await untilEvent("failed, may pass: nobody answers", of: user)
    user.send(Self.turn("b"))
    script.fail(JournalError(.unreachable, "it starts"))
    try await untilEvent("failed, may pass: it starts", of: user)
    #expect(user.answers(of: 0).isEmpty)
    script.fail(nil)
    #expect(user.next(2) == ["acknowledged 1", "acknowledged 2"])
    await user.end()
    // The first turn by itself: it may have been durable.
    #expect(script.commits.map(\.count) == [1, 1])
    #expect(user.events.count { $0.hasPrefix("failed") } == 2)
  }

  @Test(arguments: [Durability.strict, .relaxed])
  func `a journal that another daemon takes while it does not answer is given up`(durability: Durability) async throws {
    let user = try await open(durability)
    script.fail(Self.away)
    user.send(Self.turn())
    try await untilEvent("failed, may pass: nobody answers", of: user)
    script.fail(JournalError(.superseded, "it is another's"))
    #expect(user.next(1) == [durability == .strict ? "failed 1" : "failed 0"])
    try await untilEvent("failed, for good: it is another's", of: user)
    #expect(script.commits.isEmpty)
    await user.end()
  }

  // MARK: Loss

  @Test func `I7: a commit to a file that is gone by then is not acknowledged`() async throws {
    let user = try await open()
    try await stall(user)
    script.lose(JournalError(.corrupt, "the file was deleted"))
    script.release()
    #expect(user.next(1) == ["failed 1"])
    await user.end()
    #expect(user.events.first == "lost")
  }

  @Test func `turns that a full disk did not take are reported at the end`() async throws {
    let user = try await open(.relaxed)
    script.fail(Self.full)
    for _ in 1...3 { user.send(Self.turn()) }
    #expect(user.next(1) == ["failed 0"])
    await user.end()
    #expect(user.events.last == "ended without 3 turns")
  }

  @Test func `a store that cannot be opened gives its error, and the journal ends`() async throws {
    let error = JournalError(.unusable, "'x' is no journal")
    let journal = try JournalThread(.strict, retryNanoseconds: 1) { throw error }
    let thrown = await #expect(throws: JournalError.self) { _ = try await JournalUser(journal) }
    #expect(thrown == error)
    await journal.ended()
  }
}
