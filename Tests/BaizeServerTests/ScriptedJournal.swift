import BaizeSync
import Foundation
import Synchronization
import Testing

/// A journal whose disk the test controls and observes.
final class JournalScript: Sendable {
  private struct State {
    var failure: JournalError?
    var loss: JournalError?
    var commits: [[JournalWrite]] = []
    var waiting = 0
    var isOpen = false
  }

  private let state = Mutex(State())
  private let gate = Gate()
  fileprivate let readingGate = Gate()

  /// The committed writes, commit by commit.
  var commits: [[JournalWrite]] { state.withLock { $0.commits } }
  /// Whether a commit has begun and waits.
  var isWaiting: Bool { state.withLock { $0.waiting > 0 } }
  /// From the opening to the end of the journal's life.
  var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Makes commits wait.
  func shut() { gate.shut() }

  func release() { gate.release() }

  /// Makes what reads tables on other threads wait.
  func shutReading() { readingGate.shut() }

  func releaseReading() { readingGate.release() }

  func fail(_ error: JournalError?) { state.withLock { $0.failure = error } }

  /// Makes checks whether the journal is still there fail.
  func lose(_ error: JournalError) { state.withLock { $0.loss = error } }

  /// The journal with everything committed, by this process or earlier ones.
  func open() -> any JournalStore {
    let commits = state.withLock { state in
      state.isOpen = true
      return state.commits
    }
    return ScriptedJournal(self, holding: commits)
  }

  fileprivate func close() { state.withLock { $0.isOpen = false } }

  fileprivate func commit(_ writes: [JournalWrite]) throws(JournalError) {
    state.withLock { $0.waiting += 1 }
    gate.pass()
    let failure = state.withLock { state -> JournalError? in
      state.waiting -= 1
      if let failure = state.failure { return failure }
      state.commits.append(writes)
      return nil
    }
    if let failure { throw failure }
  }

  fileprivate func verify() throws(JournalError) {
    if let loss = state.withLock({ $0.loss }) { throw loss }
  }

  fileprivate func probe() throws(JournalError) {
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }
}

/// The journal in memory behind the script.
private final class ScriptedJournal: JournalStore {
  private let script: JournalScript
  private let memory = MemoryJournal()

  init(_ script: JournalScript, holding commits: [[JournalWrite]]) {
    self.script = script
    do { try memory.commit(commits.flatMap(\.self)) } catch { Issue.record(error) }
  }

  deinit { script.close() }

  func commit(_ writes: [JournalWrite]) throws(JournalError) {
    try script.commit(writes)
    try memory.commit(writes)
  }

  func verify() throws(JournalError) { try script.verify() }

  func probe() throws(JournalError) { try script.probe() }

  func tableCount() -> Int { memory.tableCount() }

  func table(named name: String) -> StoredTable? { memory.table(named: name) }

  func reading(tableNamed name: String) -> TableReading {
    let stored = memory.table(named: name)
    return TableReading(size: { stored?.bytes ?? 0 }) { [script] _ in
      script.readingGate.pass()
      return stored
    }
  }
}

/// Blocks a thread until the test releases it.
private final class Gate: Sendable {
  private let isShut = Mutex(false)

  func shut() { isShut.withLock { $0 = true } }
  func release() { isShut.withLock { $0 = false } }

  /// A poll, so that no thread of the test's is held.
  func pass() {
    while isShut.withLock({ $0 }) { usleep(1_000) }
  }
}
