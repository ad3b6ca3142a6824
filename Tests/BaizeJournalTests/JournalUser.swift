import BaizeDriver
import BaizeSync
import BaizeTable
import BaizeTransport
import Dispatch
import Synchronization

/// The shards of a journal as a test plays them: it sends turns, and keeps what is answered.
final class JournalUser: Sendable {
  let journal: any Journal
  /// The number of tables when the journal was opened.
  private let opened: OpenedJournal
  var tablesAtOpening: Int { opened.tables }
  /// The key that seals what tables give out.
  var accessKey: AccessKey { opened.accessKey }
  /// The document of what is revoked when the journal was opened.
  var revocationsAtOpening: [UInt8]? { opened.revocations }
  private let answers: Answers

  /// The answers to each shard that the test has not read yet, and everything that was reported.
  private final class Answers: Sendable {
    struct State {
      var waiting: [[String]]
      var events: [String] = []
      var turns: [UInt64]
      var generation = 0
      /// Whether something did not arrive: what comes after it is not waited for.
      var hasHung = false
    }

    let state: Mutex<State>
    let waker: Waker
    /// Where tables are read.
    let reader = DispatchQueue(label: "reading")

    init(shards: Int) throws {
      state = Mutex(State(waiting: Array(repeating: [], count: shards), turns: Array(repeating: 0, count: shards)))
      waker = try Waker()
    }

    func add(_ answer: String, to shard: Int) {
      state.withLock { $0.waiting[shard].append(answer) }
      waker.wake()
    }
  }

  init(_ journal: any Journal, shards: Int = 1) async throws {
    let answers = try Answers(shards: shards)
    (self.answers, self.journal) = (answers, journal)
    let newKey = AccessKey(random: RandomSource(seed: UInt64(shards)))
    opened = try await journal.open(for: shards, newKey: newKey) { shard, answer in
      var text = answer.text
      if case .failed(let error, let generation) = answer {
        let isReported = answers.state.withLock { state in
          state.generation = generation
          return state.events.contains { $0.hasSuffix("\(error)") }
        }
        if !isReported { text += " before it was reported" }
      }
      answers.add(text, to: shard)
    } report: { event in
      answers.state.withLock { $0.events.append(event.text) }
    }
  }

  /// What the journal has reported.
  var events: [String] { answers.state.withLock { $0.events } }

  // MARK: Turns

  /// Sends a shard's next turn.
  ///
  /// - Parameter generation: The generation that the shard knows; by default the last one.
  func send(_ writes: [JournalWrite], from shard: Int = 0, loads: [String] = [], generation: Int? = nil) {
    let (number, last) = answers.state.withLock { state in
      state.turns[shard] += 1
      return (state.turns[shard], state.generation)
    }
    journal.send(
      JournalTurn(
        shard: shard, generation: generation ?? last, number: TurnNumber(rawValue: number), writes: writes,
        loads: loads.map { load($0, for: shard) }))
  }

  /// Sends a turn and waits until it and all before are acknowledged.
  ///
  /// - Returns: Whether they were, and nothing else was answered.
  func commit(_ writes: [JournalWrite], from shard: Int = 0) -> Bool {
    send(writes, from: shard)
    let number = answers.state.withLock { $0.turns[shard] }
    while let answer = next(1, of: shard).first, answer.hasPrefix("acknowledged") {
      if answer == "acknowledged \(number)" { return true }
    }
    return false
  }

  /// The answers to a shard that the test has not read.
  func answers(of shard: Int) -> [String] { answers.state.withLock { $0.waiting[shard] } }

  /// Returns the next answers; fewer if they do not arrive.
  func next(_ count: Int, of shard: Int = 0) -> [String] {
    wait { $0.waiting[shard].count >= count }
    return answers.state.withLock { state in
      let next = Array(state.waiting[shard].prefix(count))
      state.waiting[shard].removeFirst(next.count)
      return next
    }
  }

  private func wait(until condition: (Answers.State) -> Bool) {
    let end = MonotonicClock.now() + HangGuard.nanoseconds
    while !answers.state.withLock({ $0.hasHung || condition($0) }) {
      if MonotonicClock.now() > end { answers.state.withLock { $0.hasHung = true } }
      answers.waker.wait(nanoseconds: 1_000_000_000)
    }
  }

  // MARK: Loading

  private func load(_ name: String, for shard: Int) -> JournalLoad {
    JournalLoad(name) { [answers] reading in
      answers.reader.async {
        let text: String
        do {
          text = try reading.get().read(.max).map { "table \(name): \($0.summary)" } ?? "no \(name)"
        } catch {
          text = "cannot load \(name): \(error)"
        }
        answers.add(text, to: shard)
      }
    }
  }

  /// Has what reads tables wait until the returned closure is called.
  func holdReading() -> @Sendable () -> Void {
    answers.reader.suspend()
    return { [answers] in answers.reader.resume() }
  }

  /// Returns a table as the journal has it; `nil` if it has none.
  func table(_ name: String) throws -> StoredTable? {
    let result = Mutex<Result<StoredTable?, any Error>?>(nil)
    let load = JournalLoad(name) { [answers] reading in
      answers.reader.async {
        let table = Result { try reading.get().read(.max) }
        result.withLock { $0 = table }
        answers.waker.wake()
      }
    }
    journal.send(JournalTurn(shard: 0, number: nil, writes: [], loads: [load]))
    wait { _ in result.withLock { $0 != nil } }
    return try result.withLock { $0 }?.get()
  }

  // MARK: The end

  /// Ends all shards, and waits for the journal's end.
  func end() async {
    for _ in answers.state.withLock({ $0.turns }) { journal.leave() }
    await journal.ended()
  }
}

extension JournalAnswer {
  fileprivate var text: String {
    switch self {
    case .acknowledged(let turn, _): "acknowledged \(turn.rawValue)"
    case .failed(_, let generation): "failed \(generation)"
    case .recovered: "recovered"
    case .expired(let table, _): "expired \(table)"
    }
  }
}

extension JournalEvent {
  fileprivate var text: String {
    switch self {
    case .committed(let turns, let writes, let bytes, _): "committed \(turns) turns, \(writes) writes, \(bytes) bytes"
    case .failed(let error, let mayPass): "failed, \(mayPass ? "may pass" : "for good"): \(error)"
    case .recovered: "recovered"
    case .lost: "lost"
    case .ended(let unwritten): "ended without \(unwritten) turns"
    }
  }
}
