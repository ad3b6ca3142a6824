package import BaizeSync
import Foundation
import Synchronization

/// A store in memory whose disk the test controls and observes.
package final class JournalScript: Sendable {
  private struct State {
    var failure: JournalError?
    var loss: JournalError?
    var commits: [[JournalWrite]] = []
    var waiting = 0
    var isOpen = false
  }

  private let state = Mutex(State())
  private let gate = Gate()

  package init() {}

  /// The committed writes, commit by commit.
  package var commits: [[JournalWrite]] { state.withLock { $0.commits } }
  /// Whether a commit has begun and waits.
  package var isWaiting: Bool { state.withLock { $0.waiting > 0 } }
  /// From the opening to the end of the journal's life.
  package var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Makes commits wait.
  package func shut() { gate.shut() }

  package func release() { gate.release() }

  package func fail(_ error: JournalError?) { state.withLock { $0.failure = error } }

  /// Makes checks whether the journal is still there fail.
  package func lose(_ error: JournalError) { state.withLock { $0.loss = error } }

  /// Opens a store with everything that was committed, by this process or earlier ones.
  package func open() -> any JournalStore {
    let commits = state.withLock { state in
      state.isOpen = true
      return state.commits
    }
    return ScriptedStore(self, holding: commits)
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

/// The store behind the script.
private final class ScriptedStore: JournalStore {
  private let script: JournalScript
  private let memory = MemoryJournal()

  init(_ script: JournalScript, holding commits: [[JournalWrite]]) {
    self.script = script
    do { try memory.commit(commits.flatMap(\.self)) } catch { preconditionFailure("\(error)") }
  }

  deinit { script.close() }

  func commit(_ writes: [JournalWrite]) throws(JournalError) {
    try script.commit(writes)
    try memory.commit(writes)
  }

  func verify() throws(JournalError) { try script.verify() }

  func probe() throws(JournalError) { try script.probe() }

  func tableCount() -> Int { memory.tableCount() }
  func search() -> TableSearch { memory.search() }

  func table(named name: String) -> StoredTable? { memory.table(named: name) }

  func revocations() -> [UInt8]? { memory.revocations() }
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
